"""Restores a run's snapshot and last import from the events of its log."""

from treadle.domain.events.work import WorkImported, WorkspacePrepared
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot, tree_of


async def restore_snapshot(project: Project, prepared: WorkspacePrepared) -> Snapshot:
    """What the user saw when the run began."""
    return Snapshot(
        head=prepared.head,
        branch=prepared.checkout,
        commit=prepared.snapshot,
        tree=await tree_of(project.git, prepared.snapshot),
        dirty=prepared.snapshot != prepared.head,
    )


async def restore_import(
    project: Project, snapshot: Snapshot, work: WorkImported
) -> ImportedBranch:
    """What an import brought, from the event that tells of it."""
    return ImportedBranch(
        branch=work.branch,
        commit=work.commit,
        commits=work.commits,
        descends=await project.git.is_ancestor(snapshot.commit, work.commit),
        moved=False,
    )
