"""Finds what earlier runs of a project left: unlanded work, landed commits, the plan."""

from contextlib import closing

from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.run_list import find_run, list_runs
from treadle.domain.errors import ProjectError
from treadle.domain.events.work import WorkLanded
from treadle.domain.ids import RunId, short_id
from treadle.domain.run_request import RunRequest
from treadle.domain.run_row import RunFilter, RunRow
from treadle.domain.storage import Storage
from treadle.runs.finished_work import FinishedWork, work_of
from treadle.runs.work_log import read_work_log
from treadle.wiring.checked_request import CheckedRequest
from treadle.workflows.loop.run_history import RunHistory
from treadle.workflows.loop.workspace_spec import PreviousRuns, UnlandedWork
from treadle.workflows.registry import WORKFLOWS, find_workflow
from treadle.workspace.merge import merge_cleanly
from treadle.workspace.pinned_tree import find_tree
from treadle.workspace.project import Project
from treadle.workspace.restore import restore_snapshot
from treadle.workspace.snapshot import read_checkout, take_snapshot

MAX_RUNS = 50


async def previous_runs_of(
    checked: CheckedRequest, history: RunHistory | None = None
) -> PreviousRuns:
    """What earlier runs left; a run with a workspace reads its start from its own log. A run on a
    branch of its own takes nothing up."""
    if checked.previous is not None:
        return checked.previous
    storage, project, request = checked.environment.storage, checked.project, checked.request
    if checked.workflow.place in ("branch", "specs"):
        return PreviousRuns()
    if history is None or history.prepared is None:
        if request.queue:
            return await _previous_item(storage, project, request)
        return await find_previous_runs(
            storage, project, before=request.run, rehearsal=request.rehearsal
        )
    return await previous_runs_from_log(
        storage, project, history, before=request.run, rehearsal=request.rehearsal
    )


async def find_previous_runs(
    storage: Storage, project: Project, *, before: RunId, rehearsal: bool
) -> PreviousRuns:
    """What earlier runs left; raises ProjectError if their work would silently be missing."""
    rows = _rows_before(storage, project, before)
    unlanded = await _unlanded(storage, project, rows, rehearsal=rehearsal)
    return _summarize(rows, unlanded, rehearsal=rehearsal)


async def previous_runs_from_log(
    storage: Storage, project: Project, history: RunHistory, *, before: RunId, rehearsal: bool
) -> PreviousRuns:
    """The same for a run that another process started, from the run's log."""
    unlanded = None
    if history.continued is not None and history.prepared is not None:
        snapshot = await restore_snapshot(project, history.prepared)
        continued = history.continued
        unlanded = UnlandedWork(continued.run, continued.branch, continued.commit, snapshot)
    return _summarize(_rows_before(storage, project, before), unlanded, rehearsal=rehearsal)


async def _previous_item(storage: Storage, project: Project, request: RunRequest) -> PreviousRuns:
    """What the item of a queue starts from: the queue's own work, together with the checkout as it
    is now. Nothing that has not landed keeps it from starting."""
    rows = _rows_before(storage, project, request.run)
    unlanded = None
    if request.after is not None:
        unlanded = await _unlanded_item(storage, project, request, request.after)
    return _summarize(rows, unlanded, rehearsal=request.rehearsal)


async def _unlanded_item(
    storage: Storage, project: Project, request: RunRequest, after: RunId
) -> UnlandedWork | None:
    row = find_run(storage, after)
    with closing(open_store(storage)) as store:
        work = work_of(store, row)
        is_undone = read_work_log(store, after).is_undone
    if work is None or is_undone:
        return None  # work that a person has taken back must not land with the next item
    branch = work.imported.branch
    tip = await project.git.commit_of(f"refs/heads/{branch}")
    head = await project.git.commit_of("HEAD")
    if tip is None or (head is not None and await project.git.is_ancestor(tip, head)):
        return None  # the user deleted the branch, or it has landed
    before = await restore_snapshot(project, work.prepared)
    unchanged = UnlandedWork(row.id, branch, tip, before)
    if await read_checkout(project) == before.checkout:
        return unchanged
    now = await take_snapshot(project, request.run)
    merged = await merge_cleanly(project, now.commit, tip)
    # Otherwise it starts from the queue's work alone, and a person merges that.
    return unchanged if merged is None else UnlandedWork(row.id, branch, merged, now)


def _rows_before(storage: Storage, project: Project, before: RunId) -> list[RunRow]:
    rows = list_runs(storage, RunFilter(project_key=project.key, limit=MAX_RUNS))
    return [row for row in rows if row.id < before and _works_for_checkout(row)]


def _works_for_checkout(row: RunRow) -> bool:
    """False for runs on a branch of their own, which concern no other run."""
    return row.workflow not in WORKFLOWS or find_workflow(row.workflow).place == "checkout"


def _planned_status(row: RunRow) -> bool:
    """Whether the run wrote the deliverables that are in status.json."""
    is_known = row.workflow in WORKFLOWS
    in_log = is_known and find_workflow(row.workflow).deliverables_in == "log"
    return bool(row.planned) and not in_log


def _summarize(
    rows: list[RunRow], unlanded: UnlandedWork | None, *, rehearsal: bool
) -> PreviousRuns:
    same_kind = [row for row in rows if bool(row.rehearsal) == rehearsal]
    return PreviousRuns(
        unlanded=unlanded,
        landed=tuple(row.landed for row in rows if row.landed),
        planned=next((row.planned for row in same_kind if _planned_status(row)), ""),
    )


async def _unlanded(
    storage: Storage, project: Project, rows: list[RunRow], *, rehearsal: bool
) -> UnlandedWork | None:
    """The newest work that is only on its branch, unless newer work has landed."""
    store = open_store(storage)
    try:
        for row in rows:
            if row.landed:
                return None
            if row.rehearsal and not rehearsal:
                continue  # a real run does not continue rehearsed work
            work = work_of(store, row)
            if work is None:
                continue
            tip = await project.git.commit_of(f"refs/heads/{work.imported.branch}")
            if tip is None:
                continue  # the user deleted the branch
            return await _check_usable(project, row, work, tip)
    finally:
        store.close()
    return None


async def _check_usable(
    project: Project, row: RunRow, work: FinishedWork, tip: str
) -> UnlandedWork | None:
    head = await project.git.commit_of("HEAD")
    if head is not None and await project.git.is_ancestor(tip, head):
        return None
    snapshot = await restore_snapshot(project, work.prepared)
    branch = work.imported.branch
    if await read_checkout(project) == snapshot.checkout:
        return UnlandedWork(row.id, branch, tip, snapshot)
    run = short_id(row.id)
    raise ProjectError(
        f"run {run} left work on {branch} that is not in your checkout",
        hint=f"continue it with `treadle resume {run}`, merge it with `git merge {branch}`, or give"
        f" it up with `treadle drop {run}`",
    )


async def reverted_landing(
    storage: Storage, project: Project, checkout: str, *, before: RunId, rehearsal: bool
) -> str:
    """A warning if the user has reverted the last landing before this run; else empty.

    `checkout` is the snapshot of the user's checkout. Work that landed as files is in no commit;
    the same files in another commit count as landed.
    """
    rows = _rows_before(storage, project, before)
    last = next((row for row in rows if row.landed and bool(row.rehearsal) == rehearsal), None)
    if last is None or await project.git.is_ancestor(last.landed, checkout):
        return ""
    if _landed_as_files(storage, last):
        return ""
    if await find_tree(project, last.landed) == await find_tree(project, checkout):
        return ""
    return (
        f"commit {last.landed[:12]}, which run {short_id(last.id)} landed, is no longer in your "
        "checkout, but its deliverables still count as passed: `treadle sync` checks them again"
    )


def _landed_as_files(storage: Storage, row: RunRow) -> bool:
    with closing(open_store(storage)) as store:
        landed = [each.event for each in store.read(row.id, types=("work.landed",))]
    return any(isinstance(event, WorkLanded) and event.form == "files" for event in landed[-1:])


def require_all_landed(previous: PreviousRuns) -> None:
    """Raises ProjectError if work is missing from the checkout, where deliverables are judged."""
    if previous.unlanded is not None:
        run = short_id(previous.unlanded.run)
        raise ProjectError(
            f"run {run} left work on {previous.unlanded.branch} that is not in your checkout",
            hint=f"merge it with `treadle land {run}`, or give it up with `treadle drop {run}`",
        )
