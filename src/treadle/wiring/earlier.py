"""What earlier runs of a project left behind, and what that means for the next one."""

from dataclasses import dataclass
from pathlib import Path

from treadle.adapters.stores.runs import list_runs
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.domain.errors import ProjectError
from treadle.domain.events.session import SessionStarted
from treadle.domain.ids import short
from treadle.domain.run_row import RunRow
from treadle.wiring.finished_work import Work, snapshot_of, work_of
from treadle.workflows.worksite import Earlier
from treadle.workspace.project import Project
from treadle.workspace.snapshot import observe

LOOK_BACK = 50


@dataclass(frozen=True, slots=True)
class Past:
    """`landed` are commits whose work is in the checkout; `planned` is the specification's hash
    that the deliverables were last written for, empty if nobody knows."""

    earlier: Earlier | None = None
    landed: tuple[str, ...] = ()
    planned: str = ""


async def past_of(root: Path, project: Project, *, rehearsal: bool) -> Past:
    """Refuses to go on where work would silently be missing from the result."""
    rows = list_runs(root, project_key=project.key, limit=LOOK_BACK)
    alike = [row for row in rows if bool(row.rehearsal) == rehearsal]
    return Past(
        earlier=await _unlanded(root, project, rows),
        landed=tuple(row.landed for row in rows if row.landed),
        planned=next((row.planned for row in alike if row.planned), ""),
    )


def lost_sessions(root: Path) -> list[str]:
    """Sessions of runs whose owner died: what is left of their processes may be ended."""
    lost = [row for row in list_runs(root, limit=LOOK_BACK) if row.state == "lost"]
    if not lost:
        return []
    store = SqliteStore(root)
    try:
        started = [recorded.event for row in lost for recorded in store.read(row.id)]
    finally:
        store.close()
    return [event.session for event in started if isinstance(event, SessionStarted)]


async def _unlanded(root: Path, project: Project, rows: list[RunRow]) -> Earlier | None:
    """The newest work that is on its branch only, unless something newer has landed."""
    store = SqliteStore(root)
    try:
        for row in rows:
            if row.landed:
                return None
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
