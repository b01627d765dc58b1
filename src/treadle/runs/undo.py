"""Brings back what a run lost: dropped work, commits that its sessions destroyed, and the checkout
from before a landing."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.event_store import EventStore, open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.errors import UsageError
from treadle.domain.events.work import LandingUndone, WorkDropped, WorkRestored, WorkspacePrepared
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from
from treadle.runs.drop import run_clone
from treadle.runs.locks import lock_orphan, lock_project_for
from treadle.runs.work_log import WorkLog, read_work_log
from treadle.settings.environment import Environment
from treadle.workspace.commit_store import store_folder
from treadle.workspace.landing_undo import (
    CheckoutRestored,
    LandedWork,
    NotLanded,
    UndoRefused,
    undo_landing,
)
from treadle.workspace.project import Project, find_project
from treadle.workspace.restore import restore_snapshot
from treadle.workspace.work_backup import (
    find_unrestored,
    has_store,
    restore_branch,
    restore_commits,
    restore_work,
)


@dataclass(frozen=True, slots=True)
class RestoredCommit:
    """A ref in the user's repository, with its commit and the first line of that."""

    ref: str
    commit: str
    subject: str


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What was brought back; all empty if there was nothing to undo."""

    branches: tuple[str, ...] = ()
    # The clone, with work in progress if there was any.
    workspace: str = ""
    commits: tuple[RestoredCommit, ...] = ()
    # The checkout is as before the landing, or why it is not.
    landing: CheckoutRestored | UndoRefused | None = None

    @property
    def is_empty(self) -> bool:
        return self == UndoReport()


async def undo_run(
    row: RunRow, environment: Environment, *, commits_only: bool = False
) -> UndoReport:
    """Undo what can be undone. Dropped work comes back first; a landing of the same run is then
    left alone. After an interruption a second call goes on."""
    run = short_id(row.id)
    if row.alive:
        raise UsageError(f"run {run} is working", hint=f"cancel it first: treadle cancel {run}")
    if row.cleaned_at and not run_directory(environment.root, row.id).exists():
        return UndoReport()  # a lock would make its directory anew
    with (
        lock_orphan(environment.root, row.id) as is_free,
        closing(open_store(environment.storage)) as store,
    ):
        if not is_free:
            raise UsageError(f"run {run} is working", hint=f"cancel it first: treadle cancel {run}")
        project = await find_project(path_from(row.project_path), environment.raw)
        return await _undo(_Undo(row, environment, project, store), commits_only=commits_only)


@dataclass(frozen=True, slots=True)
class _Undo:
    row: RunRow
    environment: Environment
    project: Project
    store: EventStore

    @property
    def commit_store(self) -> Path:
        """Where commits are that were never imported, also after the run was cleaned away."""
        return store_folder(run_directory(self.environment.root, self.row.id) / "workspace")

    def record(self, event: WorkRestored | LandingUndone) -> None:
        Recorder(self.store, self.row.id, SystemClock(), ()).record(event)


async def _undo(undoing: _Undo, *, commits_only: bool) -> UndoReport:
    log = read_work_log(undoing.store, undoing.row.id)
    branches, workspace = tuple[str, ...](), ""
    if log.dropped is not None and log.prepared is not None:
        branches = await _restore_branches(undoing.project, log.dropped)
        await _restore_workspace(undoing, log.dropped, log.prepared)
        workspace = log.prepared.path
    commits = await _restore_commits(undoing, log)
    if (branches or workspace or commits) and not undoing.row.cleaned_at:
        undoing.record(WorkRestored(branches, tuple(each.ref for each in commits)))
    landing = None
    if log.dropped is None and not commits_only:
        landing = await _undo_landing(undoing, log)
    return UndoReport(branches, workspace, commits, landing)


async def _restore_branches(project: Project, dropped: WorkDropped) -> tuple[str, ...]:
    return tuple([await restore_branch(project, each) for each in dropped.branches])


async def _restore_workspace(
    undoing: _Undo, dropped: WorkDropped, prepared: WorkspacePrepared
) -> None:
    """Make the clone anew, with what was never imported, so that the run can be resumed."""
    clone = await run_clone(undoing.project, prepared)
    if dropped.work and undoing.commit_store.exists():
        await restore_work(clone, undoing.commit_store, dropped.work)


async def _restore_commits(undoing: _Undo, log: WorkLog) -> tuple[RestoredCommit, ...]:
    if not has_store(undoing.commit_store):
        return ()
    project = undoing.project
    found = await find_unrestored(project, undoing.commit_store, undoing.row.id)
    refs = {ref: commit for ref, commit in found.items() if ref not in log.work_refs}
    if refs:
        await restore_commits(project, undoing.commit_store, refs)
    restored = []
    for ref, commit in refs.items():
        subject = await project.git.run("log", "-1", "--no-show-signature", "--format=%s", ref)
        restored.append(RestoredCommit(ref, commit, subject))
    return tuple(restored)


async def _undo_landing(undoing: _Undo, log: WorkLog) -> CheckoutRestored | UndoRefused | None:
    if log.landed is None or log.prepared is None:
        return None
    project, row, landed = undoing.project, undoing.row, log.landed
    with lock_project_for(undoing.environment.root, project.key, row.id, project.root):
        snapshot = await restore_snapshot(project, log.prepared)
        work = LandedWork(landed.commit, landed.form, log.landed_work, log.landed_onto)
        outcome = await undo_landing(project, snapshot, work, row.id)
        match outcome:
            case CheckoutRestored(head=head):
                undoing.record(LandingUndone(landed.branch, landed.commit, head))
                return outcome
            case UndoRefused():
                return outcome
            case NotLanded():
                return None
            case _:
                assert_never(outcome)
