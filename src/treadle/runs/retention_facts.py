"""Finds out where the work of an old run is, for the decision whether it may be removed."""

from datetime import datetime
from pathlib import Path

from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.errors import TreadleError
from treadle.domain.events.work import WorkImported, WorkspacePrepared
from treadle.domain.retention import BranchFact, CloneFact, WorkFacts
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from
from treadle.runs.drop import clone_exists, run_clone
from treadle.runs.work_log import WorkLog, read_work_log
from treadle.settings.environment import Environment
from treadle.workspace.commit_store import store_folder
from treadle.workspace.merge_search import WorkRange, find_merge
from treadle.workspace.project import Project, find_project
from treadle.workspace.unimported_work import is_all_imported
from treadle.workspace.work_backup import has_store


async def work_facts(store: EventStore, row: RunRow, environment: Environment) -> WorkFacts:
    """Ask git about the branch and the clone of a run."""
    log = read_work_log(store, row.id)
    kept_at = log.dropped_at or _cleaned_at(row, environment.root)
    if log.prepared is None:
        return WorkFacts("none", "none" if row.cleaned_at or not row.branch else "unknown", kept_at)
    try:
        project = await find_project(path_from(row.project_path), environment.raw)
        return WorkFacts(
            await _branch(project, log),
            await _clone(project, log.prepared, log.imported),
            kept_at,
        )
    except TreadleError:
        return WorkFacts("unknown", "unknown", kept_at)


def _cleaned_at(row: RunRow, root: Path) -> datetime | None:
    """When the run was cleaned, if commits that its sessions dropped are still there."""
    kept = store_folder(run_directory(root, row.id) / "workspace")
    return datetime.fromisoformat(row.cleaned_at) if row.cleaned_at and has_store(kept) else None


async def _branch(project: Project, log: WorkLog) -> BranchFact:
    if log.imported is None or log.prepared is None:
        return "none"
    tip = await project.git.commit_of(f"refs/heads/{log.branches[-1]}")
    work = tip or log.imported.commit
    if await project.git.commit_of(work) is None:
        return "gone"
    prepared = log.prepared
    starts = (prepared.snapshot, *([prepared.head] if prepared.head else []))
    merge = await find_merge(project, WorkRange(work, starts))
    if merge is not None:
        return merge
    if log.pushed == work:
        return "pushed"
    return "gone" if tip is None else "unmerged"


async def _clone(
    project: Project, prepared: WorkspacePrepared, imported: WorkImported | None
) -> CloneFact:
    if not clone_exists(prepared):
        return "none"
    clone = await run_clone(project, prepared)
    last = imported.commit if imported else prepared.snapshot
    return "imported" if await is_all_imported(clone, last) else "holds work"
