"""Finds the work of a finished run from its log, to show its diff or to land it."""

from dataclasses import dataclass

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.errors import ProjectError
from treadle.domain.events.work import WorkImported, WorkKept, WorkLanded, WorkspacePrepared
from treadle.domain.ids import short_id
from treadle.domain.ports import Store
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from
from treadle.runs.apply_notes import apply_notes
from treadle.runs.locks import lock_project_for
from treadle.settings.environment import Environment
from treadle.settings.load import load_settings
from treadle.workflows.loop.landing import LandingForm, LandingMethod, land_work
from treadle.workspace.diffs import diff_text
from treadle.workspace.merge import free_paths
from treadle.workspace.project import find_project
from treadle.workspace.restore import restore_import, restore_snapshot


@dataclass(frozen=True, slots=True)
class FinishedWork:
    """The start of a run and its last import."""

    prepared: WorkspacePrepared
    imported: WorkImported


def find_work(store: Store, row: RunRow) -> FinishedWork:
    """The last import of the run; raises ProjectError if there is none."""
    work = work_of(store, row)
    if work is None:
        raise ProjectError(
            f"run {short_id(row.id)} made no commits",
            hint=f"see what it did with `treadle show {short_id(row.id)}`",
        )
    return work


def work_of(store: Store, row: RunRow) -> FinishedWork | None:
    """The last import of the run, if there was one."""
    prepared: WorkspacePrepared | None = None
    imported: WorkImported | None = None
    for recorded in store.read(row.id, types=("workspace.prepared", "work.imported")):
        match recorded.event:
            case WorkspacePrepared() as event:
                prepared = event
            case WorkImported() as event:
                imported = event
            case _:
                pass
    return None if prepared is None or imported is None else FinishedWork(prepared, imported)


async def land_run(
    row: RunRow, environment: Environment, work: FinishedWork
) -> WorkLanded | WorkKept:
    """Land this work of a run now, whatever the run's result, and record that in its log."""
    store = open_store(environment.storage)
    try:
        project = await find_project(path_from(row.project_path), environment.raw)
        with lock_project_for(environment.root, project.key, row.id, project.root):
            snapshot = await restore_snapshot(project, work.prepared)
            imported = await restore_import(project, snapshot, work.imported)
            settings = load_settings(project.root, environment=environment.raw).settings
            form: LandingForm = "commits" if settings.commit else "files"
            method = LandingMethod(form, free_paths(settings.project.specs))
            event = await land_work(project, snapshot, imported, run=row.id, method=method)
            recorder = Recorder(store, row.id, SystemClock(), ())
            recorder.record(event)
            apply_notes(row.workflow, store.read(row.id), project, row.id, recorder)
        return event
    finally:
        store.close()


async def diff_run(row: RunRow, environment: Environment, *, stat: bool) -> str:
    """The diff from the run's snapshot to its last imported commit."""
    store = open_store(environment.storage)
    try:
        work = find_work(store, row)
    finally:
        store.close()
    project = await find_project(path_from(row.project_path), environment.raw)
    return await diff_text(project, work.prepared.snapshot, work.imported.commit, stat=stat)
