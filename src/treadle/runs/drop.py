"""Gives up the work of a run: backs all of it up, then removes its branches and its workspace."""

import asyncio
import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.event_store import EventStore, open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.agent import CommitIdentity
from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.events.work import DroppedBranch, WorkDropped, WorkspacePrepared
from treadle.domain.ids import RunId, short_id
from treadle.domain.lifecycle import OVER
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from
from treadle.runs.cancel import cancel
from treadle.runs.locks import lock_orphan
from treadle.runs.work_log import WorkLog, read_work_log
from treadle.settings.environment import Environment
from treadle.wiring.check_runner import CHECKOUT_FOLDER
from treadle.workspace.clone import Clone, CommitRules, make_clone
from treadle.workspace.commit_store import store_folder
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.project import Project, find_project
from treadle.workspace.restore import restore_snapshot
from treadle.workspace.work_backup import (
    CloneBackup,
    back_up_branch,
    back_up_clone,
    delete_branch,
    is_checked_out,
    remove_workspace,
)

# A clone needs an identity; only work in progress is committed with it.
PLACEHOLDER_IDENTITY = CommitIdentity("Treadle", "treadle@localhost")


@dataclass(frozen=True, slots=True)
class DropReport:
    """What was dropped, and why some of it could not be backed up; empty if all was."""

    dropped: WorkDropped
    landed: bool
    missing: str = ""


async def drop_run(row: RunRow, environment: Environment) -> DropReport:
    """Give up the work of a run that no process executes; one that has not ended is cancelled."""
    await asyncio.to_thread(_require_no_process, row, environment)
    with lock_orphan(environment.root, row.id) as is_free:
        if not is_free:
            raise _at_work(row)
        with closing(open_store(environment.storage)) as store:
            report = await drop_locked(row, environment, store)
    if report is None:
        raise UsageError(
            f"run {short_id(row.id)} has no work to drop",
            hint=f"see what it did with `treadle show {short_id(row.id)}`",
        )
    return report


async def drop_locked(
    row: RunRow, environment: Environment, store: EventStore
) -> DropReport | None:
    """The same for a caller that holds the run's lock; None if there is nothing to drop.

    After an interruption a second call goes on: nothing is removed before the event is stored, and
    it names all that may be removed.
    """
    log = read_work_log(store, row.id)
    if log.prepared is None:
        return None
    project = await find_project(path_from(row.project_path), environment.raw)
    missing = ""
    event = log.dropped
    if event is None:
        event, missing = await _back_up(project, row, log, log.prepared)
        if not event.branches and not event.refs and not clone_exists(log.prepared):
            return None
        Recorder(store, row.id, SystemClock(), ()).record(event)
    elif not await _is_left(project, event, log.prepared):
        return None
    await _remove(project, event, run_directory(environment.root, row.id), log.prepared)
    return DropReport(event, log.landed is not None, missing)


def clone_exists(prepared: WorkspacePrepared) -> bool:
    return os.path.lexists(prepared.path)


async def run_clone(project: Project, prepared: WorkspacePrepared) -> Clone:
    """The clone of a run, repaired, or made anew if it is gone."""
    return await make_clone(
        project,
        await restore_snapshot(project, prepared),
        branch=prepared.branch,
        identity=PLACEHOLDER_IDENTITY,
        into=Path(prepared.path),
        rules=CommitRules(),
    )


async def _back_up(
    project: Project, row: RunRow, log: WorkLog, prepared: WorkspacePrepared
) -> tuple[WorkDropped, str]:
    for branch in log.branches:
        if await is_checked_out(project, branch):
            raise ProjectError(
                f"{branch} is checked out, so its work cannot be dropped",
                hint=f"switch to another branch first: git switch {prepared.checkout or '-'}",
            )
    backups = await _back_up_branches(project, row.id, log.branches)
    kept = CloneBackup()
    if clone_exists(prepared):
        kept = await back_up_clone(await run_clone(project, prepared), row.id)
    store = str(store_folder(Path(prepared.path))) if kept.refs else ""
    return WorkDropped(tuple(backups), store, kept.refs, kept.work), kept.missing


async def _back_up_branches(
    project: Project, run: RunId, branches: tuple[str, ...]
) -> list[DroppedBranch]:
    backups = [await back_up_branch(project, run, branch) for branch in branches]
    return [backup for backup in backups if backup is not None]


async def _is_left(project: Project, event: WorkDropped, prepared: WorkspacePrepared) -> bool:
    """Whether an interrupted call left something that it had backed up."""
    tips = [
        await project.git.commit_of(f"refs/heads/{each.branch}") == each.commit
        for each in event.branches
    ]
    return any(tips) or clone_exists(prepared)


async def _remove(
    project: Project, event: WorkDropped, directory: Path, prepared: WorkspacePrepared
) -> None:
    remove_workspace(Path(prepared.path))
    with writing_to(directory):
        remove(directory / CHECKOUT_FOLDER)
    for each in event.branches:
        await delete_branch(project, each)


def _require_no_process(row: RunRow, environment: Environment) -> None:
    if row.cleaned_at:
        raise UsageError(
            f"run {short_id(row.id)} was cleaned: only its entry in the list is left",
            hint=f"see what of it can be restored with `treadle undo {short_id(row.id)}`",
        )
    if row.alive:
        raise _at_work(row)
    if row.state not in OVER and cancel(row, environment) == "asked":
        raise _at_work(row)


def _at_work(row: RunRow) -> UsageError:
    run = short_id(row.id)
    return UsageError(
        f"run {run} is still working",
        hint=f"cancel it first: treadle cancel {run}",
    )
