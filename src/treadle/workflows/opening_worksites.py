"""Opens the worksite of a run: a new one, or that of a run which another process began."""

from pathlib import Path

from treadle.domain.events.work import WorkContinued, WorkImported, WorkspacePrepared
from treadle.workflows.site import Site
from treadle.workflows.worksite import Worksite
from treadle.workspace.branch import branch_name
from treadle.workspace.clone import make_clone
from treadle.workspace.losses import note_if_gone
from treadle.workspace.recalled import imported_again, snapshot_of
from treadle.workspace.snapshot import Snapshot, snapshot_ref, take_snapshot


async def _start(site: Site, branch: str) -> Snapshot:
    """What the user sees; the run's branch begins there, or where an earlier run left off."""
    if site.earlier is None:
        return await take_snapshot(site.project, site.run)
    earlier = site.earlier
    continued = WorkContinued(earlier.run, earlier.branch, earlier.commit)
    site.record_once("continued", continued)
    git = site.project.git
    await git.run("update-ref", snapshot_ref(site.run), earlier.snapshot.commit)
    await git.run("update-ref", f"refs/heads/{branch}", earlier.commit)
    return earlier.snapshot


async def find_worksite(
    site: Site, prepared: WorkspacePrepared, imported: WorkImported | None
) -> Worksite:
    """The worksite of a run that another process began, as its log names it."""
    snapshot = await snapshot_of(site.project, prepared)
    note_if_gone(Path(prepared.path))
    clone = await make_clone(
        site.project,
        snapshot,
        branch=prepared.branch,
        identity=site.identity,
        into=Path(prepared.path),
        attribution=site.attribution,
    )
    found = None
    if imported is not None:
        found = await imported_again(site.project, snapshot, imported)
    return Worksite.taken_over(site, snapshot, clone, found)


async def prepare_worksite(site: Site, *, specification: str, spec: str) -> Worksite:
    """Snapshot what the user sees and clone it; the specification must be part of it."""
    branch = branch_name(specification, site.run)
    snapshot = await _start(site, branch)
    clone = await make_clone(
        site.project,
        snapshot,
        branch=branch,
        identity=site.identity,
        into=site.directory / "workspace",
        attribution=site.attribution,
    )
    site.record(
        WorkspacePrepared(
            path=str(clone.path),
            branch=branch,
            head=snapshot.head,
            checkout=snapshot.branch,
            snapshot=snapshot.commit,
        )
    )
    worksite = Worksite(site, snapshot, clone)
    await worksite.move_in(spec)
    return worksite
