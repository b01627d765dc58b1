"""Opens the workspace of a run: makes a new one, or finds the one that another process made."""

from pathlib import Path

from treadle.domain.events.work import WorkContinued, WorkImported, WorkspacePrepared
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.workspace_spec import WorkspaceSpec
from treadle.workspace.branch import branch_name
from treadle.workspace.clone import make_clone
from treadle.workspace.restore import restore_import, restore_snapshot
from treadle.workspace.round_losses import note_if_gone
from treadle.workspace.snapshot import Snapshot, snapshot_ref, take_snapshot


async def _take_starting_snapshot(site: WorkspaceSpec, branch: str) -> Snapshot:
    """What the user sees; the run's branch begins there, or where an earlier run left off."""
    if site.earlier is None:
        return await take_snapshot(site.project, site.run)
    earlier = site.earlier
    continued = WorkContinued(earlier.run, earlier.branch, earlier.commit)
    site.log.record(continued, once="continued")
    git = site.project.git
    await git.run("update-ref", snapshot_ref(site.run), earlier.snapshot.commit)
    await git.run("update-ref", f"refs/heads/{branch}", earlier.commit)
    return earlier.snapshot


async def reopen_workspace(
    site: WorkspaceSpec, prepared: WorkspacePrepared, imported: WorkImported | None
) -> RunWorkspace:
    """The worksite of a run that another process began, as its log names it."""
    snapshot = await restore_snapshot(site.project, prepared)
    note_if_gone(Path(prepared.path))
    clone = await make_clone(
        site.project,
        snapshot,
        branch=prepared.branch,
        identity=site.identity,
        into=Path(prepared.path),
        credit_patterns=site.credit_patterns,
    )
    found = None
    if imported is not None:
        found = await restore_import(site.project, snapshot, imported)
    return RunWorkspace.reopened(site, snapshot, clone, found)


async def make_workspace(site: WorkspaceSpec, *, specification: str, spec: str) -> RunWorkspace:
    """Snapshot what the user sees and clone it; the specification must be part of it."""
    branch = branch_name(specification, site.run)
    snapshot = await _take_starting_snapshot(site, branch)
    clone = await make_clone(
        site.project,
        snapshot,
        branch=branch,
        identity=site.identity,
        into=site.directory / "workspace",
        credit_patterns=site.credit_patterns,
    )
    site.log.record(
        WorkspacePrepared(
            path=str(clone.path),
            branch=branch,
            head=snapshot.head,
            checkout=snapshot.branch,
            snapshot=snapshot.commit,
        )
    )
    worksite = RunWorkspace(site, snapshot, clone)
    await worksite.prepare(spec)
    return worksite
