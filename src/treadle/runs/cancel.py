"""Cancels a run from any process."""

import asyncio
from contextlib import closing
from typing import Literal

from treadle.adapters.clock import SystemClock
from treadle.adapters.processes.marked_processes import end_lost
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.control_requests import ControlRequests
from treadle.adapters.stores.database import Database, open_database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import host_of, run_directory
from treadle.domain.deliverable import tally
from treadle.domain.errors import UsageError
from treadle.domain.events.agent import ProcessEnded
from treadle.domain.events.run import InterruptRequested, RunEnded
from treadle.domain.ids import RunId, short_id
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunRow
from treadle.policy.redaction import make_redactor
from treadle.runs.credentials import known_secrets
from treadle.runs.engine_names import engine_location, run_of
from treadle.runs.locks import lock_orphan
from treadle.runs.working_files import put_away_files
from treadle.settings.environment import Environment
from treadle.settings.user import login_name
from treadle.workflows.loop.approval_requests import ApprovalRequester, void_questions
from treadle.workflows.loop.run_history import RunHistory, read_history


def cancel(row: RunRow, environment: Environment) -> Literal["asked", "ended"]:
    """Ask the process that works on the run, or end the run if nobody does."""
    if row.state in ("succeeded", "ended"):
        raise _over(row.id)
    with closing(open_database(environment.storage)) as database:
        with lock_orphan(environment.root, row.id) as orphan:
            if orphan:
                _end(row, database, environment)
                return "ended"
        ControlRequests(database).add(row.id, "cancel", by=login_name(), at=SystemClock().now())
    return "asked"


def _end(row: RunRow, database: Database, environment: Environment) -> None:
    """The caller holds the run's lock: what its log says now stays so."""
    run = row.id
    store = EventStore(database, host_of(environment.root))
    known = read_history(store.read(run))
    if known.ended is not None:
        raise _over(run)
    clean = make_redactor(known_secrets(environment))
    recorder = Recorder(store, run, SystemClock(), (), clean=clean)
    recorder.record(InterruptRequested("cancel"))
    _end_processes(run, known, recorder)
    asker = ApprovalRequester(
        run,
        known.leg,
        DatabaseApprovals(database),
        SystemClock(),
        asyncio.Event(),
        recorder,
    )
    void_questions(asker, reason="the run ended")
    put_away_files(row, run_directory(environment.root, run), store)
    recorder.record(RunEnded(_result(known)), once=f"ended {known.leg}")
    # Last: a run that has ended is not worked on again, whatever the engine still has of it.
    _forget(run, environment)


def _end_processes(run: RunId, known: RunHistory, recorder: Recorder) -> None:
    """Those of its sessions, and of the commands that were run for it."""
    if known.prepared is None:
        return  # nothing was ever started for it
    marks = [run, *(started.session for started in known.sessions)]
    for process in asyncio.run(end_lost(marks)):
        recorder.record(ProcessEnded(process.pid, process.command))


def _result(known: RunHistory) -> RunResult:
    return RunResult(
        reason="cancelled",
        rounds=known.rounds,
        tally=tally(known.deliverables),
        cost_usd=known.cost_usd,
        usage=known.usage,
        duration_s=known.running_s,
        message="cancelled while no process worked on it",
    )


def _forget(run: RunId, environment: Environment) -> None:
    from treadle.durable.client import cancel as forget
    from treadle.durable.queries import unfinished_workflows

    location = engine_location(environment.storage)
    for seen in unfinished_workflows(location):
        if run_of(seen.workflow_id) == run:
            forget(location, seen.workflow_id)


def _over(run: RunId) -> UsageError:
    return UsageError(f"run {short_id(run)} has ended already", hint="nothing is left to cancel")
