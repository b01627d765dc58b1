"""Continues a run that stopped: one that lost its process where it was, one that ended in a new
leg."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.control_requests import ControlRequests
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.errors import UsageError
from treadle.domain.events.run import RunReopened
from treadle.domain.ids import RunId, short_id
from treadle.domain.limits import RunLimits
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.run_row import RunRow
from treadle.durable.port import SHARED_QUEUE
from treadle.runs.engine_names import engine_location, leg_name, own_queue
from treadle.runs.locks import lock_run
from treadle.runs.queue import enqueue_leg, ensure_worker
from treadle.runs.rehearsal_model import with_model
from treadle.runs.request import check_request, with_variables
from treadle.runs.request_json import read_request, store_request
from treadle.runs.start import execute_in_foreground
from treadle.settings.environment import Environment
from treadle.wiring.checked_request import CheckedRequest, RunHost
from treadle.wiring.limits import run_limits
from treadle.wiring.sandboxed_agent import prove_before
from treadle.workflows.loop.run_history import RunHistory, read_history


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """How a run is to go on: from where it stopped, with what was said anew."""

    row: RunRow
    by: Literal["resume", "retry"]
    flags: Mapping[str, Any]
    no_sandbox: bool


async def resume(wish: ResumeRequest, presence: RunHost) -> RunResult:
    """Go on with the run in this process."""
    _refuse_live(wish)
    root, row = presence.environment.root, wish.row
    with lock_run(root, row.project_key, row.id):
        ready, known = await _checked(wish, presence)
        with with_model(ready.request, presence) as present:
            _claim(ready, queue=own_queue(row.id))
            _reopen(wish, ready, known)
            return await execute_in_foreground(replace(ready, host=present))


async def resume_detached(wish: ResumeRequest, presence: RunHost) -> None:
    """Hand the run to the workers."""
    _refuse_live(wish)
    environment, row = presence.environment, wish.row
    with lock_run(environment.root, row.project_key, row.id):
        ready, known = await _checked(wish, presence)
        await prove_before(ready)
        # A worker that takes it at once waits for the lock that is held here.
        claimed = _claim(ready, queue=SHARED_QUEUE)
        _reopen(wish, ready, known)
        if not claimed:
            enqueue_leg(ready.request, environment)
    ensure_worker(environment)


async def _checked(wish: ResumeRequest, presence: RunHost) -> tuple[CheckedRequest, RunHistory]:
    """The run as it is asked for now, and what its log says. The caller holds its lock, so nobody
    else works on it."""
    environment, run = presence.environment, wish.row.id
    with closing(open_store(environment.storage)) as store:
        known = read_history(store.read(run))
        if presence.replay is not None:
            for recorded in store.outline(run):
                presence.replay(recorded)
    request = _updated_request(read_request(environment.root, run), wish, known)
    request = with_variables(request, environment)
    ready = await check_request(request, presence)
    _refuse_exhausted(wish, known, run_limits(ready.settings))
    store_request(environment.root, request)
    return ready, known


def _reopen(wish: ResumeRequest, ready: CheckedRequest, known: RunHistory) -> None:
    """The log says that the run goes on; whoever wants that does not want it cancelled."""
    storage, request = ready.environment.storage, ready.request
    if known.result is None:
        with closing(open_database(storage)) as database:
            ControlRequests(database).clear(request.run)
        return
    _abandon(ready.environment, request.run, known.leg)
    reopened = RunReopened(wish.by, run_limits(ready.settings), ready.confinement)
    with closing(open_store(storage)) as store:
        recorder = Recorder(store, request.run, SystemClock(), ready.host.readers)
        recorder.record(reopened, once=f"reopened {request.leg}")


def _updated_request(request: RunRequest, wish: ResumeRequest, known: RunHistory) -> RunRequest:
    said = {name: value for name, value in wish.flags.items() if value is not None}
    request = replace(
        request,
        flags={**request.flags, **said},
        no_sandbox=request.no_sandbox or wish.no_sandbox,
    )
    if known.result is None:
        return replace(request, leg=known.leg)
    return replace(request, leg=known.leg + 1, so_far=known.result)


def _refuse_exhausted(wish: ResumeRequest, known: RunHistory, limits: RunLimits) -> None:
    """A run at one of its limits can go on only where that was raised."""
    result, run = known.result, short_id(wish.row.id)
    if result is None:
        return
    if result.succeeded:
        raise UsageError(
            f"run {run} is done", hint=f"see what it brought with `treadle diff {run}`"
        )
    if result.reason == "spec_issue":
        # The clone has the specifications as they were, so that nothing would be another.
        raise UsageError(
            f"run {run} found an issue with the specifications",
            hint=f"settle it there, bring the work in with `treadle land {run}` or drop its "
            "branch, and start a new run",
        )
    reached = {
        "budget_exceeded": (result.cost_usd >= limits.max_cost_usd, "--max-cost USD"),
        "time_exceeded": (result.duration_s >= limits.max_minutes * 60, "--max-minutes N"),
        "max_iterations": (result.rounds >= limits.max_iterations, "--max-iterations N"),
    }
    still, option = reached.get(result.reason, (False, ""))
    if still:
        raise UsageError(
            f"run {run} has used all that it may: {result.message}",
            hint=f"allow it more: treadle {wish.by} {run} {option}",
        )


def _refuse_live(wish: ResumeRequest) -> None:
    if wish.row.alive:
        run = short_id(wish.row.id)
        raise UsageError(f"run {run} is at work", hint=f"watch it with `treadle attach {run}`")


def _claim(ready: CheckedRequest, *, queue: str) -> bool:
    """Take the run's leg from an executor that is gone, or from where it was given up; the run's
    lock says that nobody works on it. A person asks for it, so its crashes are counted anew.

    False if there is nothing to take: the leg was not begun, or it is over.
    """
    from treadle.durable.connections import open_pool, translate_errors
    from treadle.durable.queries import find_workflow
    from treadle.durable.stored_workflow import WorkflowStatus
    from treadle.durable.workflow_tables import WorkflowTables

    request = ready.request
    location = engine_location(ready.environment.storage)
    seen = find_workflow(location, leg_name(request.run, request.leg))
    if seen is None or seen.status is WorkflowStatus.FINISHED:
        return False
    with open_pool(location) as pool, translate_errors(location):
        return WorkflowTables(pool).move_to_queue(seen, queue, attempts=0)


def _abandon(environment: Environment, run: RunId, leg: int) -> None:
    """A leg that ended in the log may still be open at the engine: its process was killed."""
    from treadle.durable.queries import find_workflow

    location = engine_location(environment.storage)
    seen = find_workflow(location, leg_name(run, leg))
    if seen is not None and seen.is_unfinished:
        from treadle.durable.client import cancel

        cancel(location, seen.workflow_id)
