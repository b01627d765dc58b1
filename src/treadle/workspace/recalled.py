"""A run's snapshot and what it imported, found again from what its log says."""

from treadle.domain.events.work import WorkImported, WorkspacePrepared
from treadle.workspace.imports import Imported
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot, tree_of


async def snapshot_of(project: Project, prepared: WorkspacePrepared) -> Snapshot:
    """What the user saw when the run began."""
    return Snapshot(
        head=prepared.head,
        branch=prepared.checkout,
        commit=prepared.snapshot,
        tree=await tree_of(project.git, prepared.snapshot),
        dirty=prepared.snapshot != prepared.head,
    )


async def imported_again(project: Project, snapshot: Snapshot, work: WorkImported) -> Imported:
    """What an import brought, from the event that tells of it."""
    return Imported(
        branch=work.branch,
        commit=work.commit,
        commits=work.commits,
        descends=await project.git.is_ancestor(snapshot.commit, work.commit),
        moved=False,
    )
