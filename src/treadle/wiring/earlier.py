"""What earlier runs of a project left behind, and what that means for the next one."""

from contextlib import closing
from dataclasses import dataclass

from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.runs import list_runs
from treadle.domain.errors import ProjectError
from treadle.domain.events.work import WorkLanded
from treadle.domain.ids import RunId, short
from treadle.domain.run_row import RunFilter, RunRow
from treadle.domain.storage import Storage
from treadle.wiring.finished_work import Work, work_of
from treadle.workflows.deliver.recollection import Recollection
from treadle.workflows.worksite import Earlier
from treadle.workspace.project import Project
from treadle.workspace.proving_tree import tree_of
from treadle.workspace.recalled import snapshot_of
from treadle.workspace.snapshot import observe

LOOK_BACK = 50


@dataclass(frozen=True, slots=True)
class Past:
    """`landed` are commits whose work is in the checkout; `planned` is the specification's hash
    that the deliverables were last written for, empty if nobody knows."""

    earlier: Earlier | None = None
    landed: tuple[str, ...] = ()
    planned: str = ""


async def past_of(storage: Storage, project: Project, *, before: RunId, rehearsal: bool) -> Past:
    """Refuses to go on where work would silently be missing from the result."""
    rows = _rows_before(storage, project, before)
    earlier = await _unlanded(storage, project, rows, rehearsal=rehearsal)
    return _past(rows, earlier, rehearsal=rehearsal)


async def past_again(
    storage: Storage, project: Project, known: Recollection, *, before: RunId, rehearsal: bool
) -> Past:
    """The same for a run that another process had begun: what it starts from is in its log."""
    earlier = None
    if known.continued is not None and known.prepared is not None:
        snapshot = await snapshot_of(project, known.prepared)
        left = known.continued
        earlier = Earlier(left.run, left.branch, left.commit, snapshot)
    return _past(_rows_before(storage, project, before), earlier, rehearsal=rehearsal)


def _rows_before(storage: Storage, project: Project, before: RunId) -> list[RunRow]:
    rows = list_runs(storage, RunFilter(project_key=project.key, limit=LOOK_BACK))
    return [row for row in rows if row.id < before]


def _past(rows: list[RunRow], earlier: Earlier | None, *, rehearsal: bool) -> Past:
    alike = [row for row in rows if bool(row.rehearsal) == rehearsal]
    return Past(
        earlier=earlier,
        landed=tuple(row.landed for row in rows if row.landed),
        planned=next((row.planned for row in alike if row.planned), ""),
    )


async def _unlanded(
    storage: Storage, project: Project, rows: list[RunRow], *, rehearsal: bool
) -> Earlier | None:
    """The newest work that is on its branch only, unless something newer has landed."""
    store = open_store(storage)
    try:
        for row in rows:
            if row.landed:
                return None
            if row.rehearsal and not rehearsal:
                continue  # the work of a script is nothing to build on
            work = work_of(store, row)
            if work is None:
                continue
            tip = await project.git.commit_of(f"refs/heads/{work.imported.branch}")
            if tip is None:
                continue  # the branch was deleted: the user wants none of it
            return await _usable(project, row, work, tip)
    finally:
        store.close()
    return None


async def _usable(project: Project, row: RunRow, work: Work, tip: str) -> Earlier | None:
    head = await project.git.commit_of("HEAD")
    if head is not None and await project.git.is_ancestor(tip, head):
        return None
    snapshot = await snapshot_of(project, work.prepared)
    branch = work.imported.branch
    if await observe(project) == snapshot.checkout:
        return Earlier(row.id, branch, tip, snapshot)
    raise ProjectError(
        f"run {short(row.id)} left work on {branch} that is not in your checkout",
        hint=f"bring it in with `git merge {branch}`, or drop it with `git branch -D {branch}`",
    )


async def undone_landing(
    storage: Storage, project: Project, seen: str, *, before: RunId, rehearsal: bool
) -> str:
    """A line about the last landing before this run, if the user has taken it back; else nothing.

    `seen` is the commit of what the user saw. Work that landed as files is in no commit; the same
    files in another commit are the work all the same.
    """
    rows = _rows_before(storage, project, before)
    last = next((row for row in rows if row.landed and bool(row.rehearsal) == rehearsal), None)
    if last is None or await project.git.is_ancestor(last.landed, seen):
        return ""
    if _landed_as_files(storage, last):
        return ""
    if await tree_of(project, last.landed) == await tree_of(project, seen):
        return ""
    return (
        f"commit {last.landed[:12]}, which run {short(last.id)} landed, is not in your checkout any"
        " more, but what was claimed for it counts as passed: `treadle sync` looks what still holds"
    )


def _landed_as_files(storage: Storage, row: RunRow) -> bool:
    with closing(open_store(storage)) as store:
        landed = [each.event for each in store.read(row.id, types=("work.landed",))]
    return any(isinstance(event, WorkLanded) and event.form == "files" for event in landed[-1:])


def require_all_landed(past: Past) -> None:
    """Deliverables are held against what the user sees, so all work has to be there."""
    if past.earlier is not None:
        run = short(past.earlier.run)
        raise ProjectError(
            f"run {run} has left work on {past.earlier.branch} that is not in your checkout",
            hint=f"bring it in with `treadle land {run}`, or delete the branch",
        )
