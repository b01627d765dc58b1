"""Restores a run's snapshot and last import from the events of its log."""

from treadle.domain.events.work import WorkImported, WorkspacePrepared
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot, tree_of


async def restore_snapshot(project: Project, prepared: WorkspacePrepared) -> Snapshot:
    """The snapshot that the run started from."""
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
    """The imported branch that an event recorded."""
    return ImportedBranch(
        branch=work.branch,
        commit=work.commit,
        commits=work.commits,
        descends=await project.git.is_ancestor(snapshot.commit, work.commit),
        moved=False,
    )
