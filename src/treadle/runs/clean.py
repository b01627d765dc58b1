"""Deletes the files and logs of old runs whose work is safe elsewhere."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from treadle.adapters.disk.kept_program import remove_unused_programs
from treadle.adapters.stores.database import Database, open_database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.run_list import RunList, host_of, run_directory
from treadle.domain.errors import StoreError, TreadleError
from treadle.domain.ids import short_id
from treadle.domain.retention import (
    DropRun,
    KeepRun,
    RetentionDecision,
    RetentionLimits,
    decide_forced,
    decide_retention,
)
from treadle.domain.run_row import RunFilter, RunRow
from treadle.domain.stored_path import path_from
from treadle.runs.engine_names import engine_location
from treadle.runs.locks import lock_orphan
from treadle.runs.removal import Removal
from treadle.runs.retention_facts import work_facts
from treadle.settings.definitions import LARGEST_NUMBER, RetentionSettings
from treadle.settings.environment import Environment
from treadle.settings.load import load_settings
from treadle.wiring.agent import program_store
from treadle.wiring.check_runner import CHECKOUT_FOLDER
from treadle.workspace.clean_checkout import CleanCheckout

EVERY_RUN = 1_000_000
DAY_S = 24 * 3600
EARLIEST_RUN = datetime(2020, 1, 1, tzinfo=UTC)
# Its modification time is when a worker last cleaned.
MARKER_FILE = "cleaned"


DaysOf = Callable[[RunRow], float]


@dataclass(frozen=True, slots=True)
class CleanMode:
    """What a person asked for: only to say what would be done; to drop unmerged work as well."""

    dry_run: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class CleanPlan:
    """The decision about one old run; yielded again with `failure` if its removal failed.

    Until `restorable`, `treadle undo` brings back what is removed.
    """

    row: RunRow
    decision: RetentionDecision
    failure: str = ""
    restorable: datetime | None = None


async def clean(
    environment: Environment,
    *,
    now: datetime,
    days: float,
    mode: CleanMode = CleanMode(),  # noqa: B008  a frozen value
) -> AsyncIterator[CleanPlan]:
    """Clean the runs that ended that long ago, oldest first; yield each decision before acting on
    it. What setups installed for checks goes at once, because it can be made again. A run whose
    files cannot be removed does not stop the others."""
    async for plan in _clean(environment, now, lambda _: days, mode):
        yield plan
    if not mode.dry_run:
        await asyncio.to_thread(remove_unused_programs, program_store(environment.root))


async def _clean(
    environment: Environment, now: datetime, days_of: DaysOf, mode: CleanMode
) -> AsyncIterator[CleanPlan]:
    # Backups stay as long as the settings say, whatever age of runs a person asks for.
    backup_days = RetentionDays(environment, lambda _: None)
    with closing(open_database(environment.storage)) as database:
        for row in _ended_runs(database, environment):
            before = _before(now, days_of(row))
            with _lock_if_present(environment.root, row) as is_free:
                if not is_free:
                    continue
                if not mode.dry_run:
                    await asyncio.to_thread(_remove_installed, environment.root, row)
                if datetime.fromisoformat(row.ended_at) >= before:
                    continue
                store = EventStore(database, host_of(environment.root))
                removal = Removal(environment, store, database, row, now)
                kept_before = _before(now, backup_days.of(row))
                facts = await work_facts(store, row, environment)
                limits = RetentionLimits(before, kept_before)
                decide = decide_forced if mode.force else decide_retention
                chosen = decide(row, facts, limits)
                restorable = None
                if await removal.leaves_backup(chosen):
                    restorable = now + (now - kept_before)
                yield CleanPlan(row, chosen, restorable=restorable)
                if isinstance(chosen, KeepRun) or mode.dry_run:
                    continue
                try:
                    await removal.remove(chosen)
                except TreadleError as error:
                    yield CleanPlan(row, chosen, failure=error.message)


async def clean_daily(
    environment: Environment, *, now: datetime, report: Callable[[str], None]
) -> None:
    """Clean once a day, and report what was removed; an error does not stop the worker."""
    try:
        if not _is_due(environment.root / MARKER_FILE, now):
            return
        days = RetentionDays(environment, report)
        async for plan in _clean(environment, now, days.of, CleanMode()):
            if plan.failure:
                run = short_id(plan.row.id)
                report(f"could not remove everything of run {run}: {plan.failure}")
            elif isinstance(plan.decision, DropRun):
                report(f"removing the files of run {short_id(plan.row.id)}: {plan.decision.reason}")
        await asyncio.to_thread(remove_unused_programs, program_store(environment.root))
        await asyncio.to_thread(_drop_steps, environment, _before(now, days.longest()))
    except TreadleError as error:
        report(f"could not clean up: {error.message}")


class RetentionDays:
    """How long runs are kept, by the settings of each project."""

    def __init__(self, environment: Environment, report: Callable[[str], None]) -> None:
        self._environment = environment
        self._say = report
        self._days_by_project: dict[str, float] = {}

    def of(self, row: RunRow) -> float:
        """The days of the run's project; runs of unreadable settings are kept."""
        path = row.project_path
        if path not in self._days_by_project:
            try:
                loaded = load_settings(path_from(path), environment=self._environment.raw)
                self._days_by_project[path] = loaded.settings.retention.days
            except TreadleError as error:
                self._say(f"not cleaning up after {path}: {error.message}")
                self._days_by_project[path] = LARGEST_NUMBER
        return self._days_by_project[path]

    def longest(self) -> float:
        """The days for data without a project."""
        return max([RetentionSettings().days, *self._days_by_project.values()])


def backup_end(environment: Environment, row: RunRow, now: datetime) -> datetime:
    """Until when a backup that is made now is kept."""
    days = RetentionDays(environment, lambda _: None).of(row)
    return now + (now - _before(now, days))


def _before(now: datetime, days: float) -> datetime:
    """The time this many days ago, but not before the earliest run."""
    return now - timedelta(days=min(days, (now - EARLIEST_RUN).days))


def _drop_steps(environment: Environment, before: datetime) -> None:
    """Delete the engine's data about ended legs, which no new leg needs."""
    from treadle.durable.connections import file_of, is_sqlite

    location = engine_location(environment.storage)
    if not is_sqlite(location) or file_of(location).exists():
        from treadle.durable.client import delete_ended_before

        delete_ended_before(location, before)


def _is_due(mark: Path, now: datetime) -> bool:
    """Whether the last cleaning was a day ago; touches the marker if so."""
    with suppress(OSError):
        if abs(now.timestamp() - mark.stat().st_mtime) < DAY_S:
            return False
    try:
        mark.touch()
        os.utime(mark, (now.timestamp(), now.timestamp()))
    except OSError as error:
        raise StoreError(
            f"cannot write {mark}: {error.strerror}",
            hint="make it writable or free some space, or set TREADLE_ROOT to another directory",
        ) from error
    return True


def _lock_if_present(root: Path, row: RunRow) -> AbstractContextManager[bool]:
    """Lock the run, so that no process continues it; a run without files needs no lock."""
    has_files = run_directory(root, row.id).exists()
    return lock_orphan(root, row.id) if has_files else nullcontext(enter_result=True)


def _remove_installed(root: Path, row: RunRow) -> None:
    """Remove what the setup of an ended run installed for its checks, which may be large."""
    with suppress(OSError):
        CleanCheckout(run_directory(root, row.id) / CHECKOUT_FOLDER).remove_bases()


def _ended_runs(database: Database, environment: Environment) -> list[RunRow]:
    """The ended runs of this machine, with those whose cleaning was interrupted."""
    ended_runs = RunFilter(states=("succeeded", "ended"), limit=EVERY_RUN)
    rows = RunList(database, environment.storage).select(ended_runs)
    return [
        row
        for row in reversed(rows)
        if (not environment.database_url or row.host == host_of(environment.root))
        and (not row.cleaned_at or run_directory(environment.root, row.id).exists())
    ]
