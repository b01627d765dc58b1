"""Cancels or pauses a run from any process."""

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
from treadle.runs.item_queue import queue_of
from treadle.runs.locks import lock_orphan
from treadle.runs.working_files import archive_files
from treadle.settings.environment import Environment
from treadle.settings.user import login_name
from treadle.workflows.loop.approval_requests import ApprovalRequester, void_questions
from treadle.workflows.loop.run_history import RunHistory, read_history


def cancel(row: RunRow, environment: Environment) -> Literal["asked", "ended"]:
    """Ask the run's process to cancel it, or end a run without a process."""
    if row.state in ("succeeded", "ended"):
        raise _already_ended(row.id)
    with closing(open_database(environment.storage)) as database:
        with lock_orphan(environment.root, row.id) as orphan:
            if orphan:
                _end(row, database, environment)
                return "ended"
        ControlRequests(database).add(row.id, "cancel", by=login_name(), at=SystemClock().now())
    return "asked"


def pause(row: RunRow, environment: Environment) -> RunId:
    """Ask the run's process to save its work and end, so that a person can resume the run. Returns
    the run that ends: of an item, the queue at work on it, which would start the item again."""
    if row.state in ("succeeded", "ended"):
        raise UsageError(
            f"run {short_id(row.id)} has already ended", hint="nothing is left to pause"
        )
    with closing(open_database(environment.storage)) as database:
        if _has_no_process(row.id, environment):
            raise UsageError(
                f"no process works on run {short_id(row.id)}",
                hint=f"continue it with `treadle resume {short_id(row.id)}`",
            )
        queue = queue_of(row.id, EventStore(database, host_of(environment.root)))
        run = row.id if queue is None or _has_no_process(queue, environment) else queue
        ControlRequests(database).add(run, "pause", by=login_name(), at=SystemClock().now())
        return run


def _has_no_process(run: RunId, environment: Environment) -> bool:
    with lock_orphan(environment.root, run) as orphan:
        return orphan


def _end(row: RunRow, database: Database, environment: Environment) -> None:
    """The caller holds the run's lock, so its log does not change."""
    run = row.id
    store = EventStore(database, host_of(environment.root))
    history = read_history(store.read(run))
    if history.result is not None:
        raise _already_ended(run)
    clean = make_redactor(known_secrets(environment))
    recorder = Recorder(store, run, SystemClock(), (), clean=clean)
    recorder.record(InterruptRequested("cancel"))
    _end_processes(run, history, recorder)
    requester = ApprovalRequester(
        run,
        history.leg,
        DatabaseApprovals(database),
        SystemClock(),
        asyncio.Event(),
        recorder,
    )
    void_questions(requester, reason="the run ended")
    archive_files(row, run_directory(environment.root, run), store)
    recorder.record(RunEnded(_result(history)), once=f"ended {history.leg}")
    # Last: a run that has ended is never executed again, whatever the engine has.
    _cancel_at_engine(run, environment)


def _end_processes(run: RunId, history: RunHistory, recorder: Recorder) -> None:
    """End the processes of its sessions and of its commands."""
    if history.prepared is None:
        return  # it never started a process
    marks = [run, *(started.session for started in history.sessions)]
    for process in asyncio.run(end_lost(marks)):
        recorder.record(ProcessEnded(process.pid, process.command))


def _result(history: RunHistory) -> RunResult:
    return RunResult(
        reason="cancelled",
        rounds=history.rounds,
        tally=tally(history.deliverables),
        cost_usd=history.cost_usd,
        usage=history.usage,
        duration_s=history.running_s,
        message="cancelled while no process worked on it",
    )


def _cancel_at_engine(run: RunId, environment: Environment) -> None:
    from treadle.durable.client import cancel as cancel_workflow
    from treadle.durable.queries import unfinished_workflows

    location = engine_location(environment.storage)
    for workflow in unfinished_workflows(location):
        if run_of(workflow.workflow_id) == run:
            cancel_workflow(location, workflow.workflow_id)


def _already_ended(run: RunId) -> UsageError:
    return UsageError(f"run {short_id(run)} has already ended", hint="nothing is left to cancel")
