"""A worker: executes queued runs, and takes over those that lost their process."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.deliverable import Tally
from treadle.domain.errors import ProjectError, StoreError, TreadleError
from treadle.domain.events.run import RunEnded, RunWarned
from treadle.domain.ids import short_id
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.usage import Usage
from treadle.durable.port import Json, Steps, WorkflowChanged
from treadle.policy.redaction import make_redactor
from treadle.runs.child_runs import ChildRuns
from treadle.runs.clean import clean_daily
from treadle.runs.credentials import known_secrets
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location, worker_queue
from treadle.runs.execute_leg import execute_when_free
from treadle.runs.local_root import require_local_root
from treadle.runs.locks import WORKER, lock_executor, lock_worker
from treadle.runs.next_leg import queue_next_leg
from treadle.runs.recovery import is_idle, recover_lost_runs
from treadle.runs.request_json import read_request, request_from, result_json
from treadle.runs.shell_environment import login_of, shell_environment
from treadle.runs.worker_queue import put_on_queue
from treadle.settings.environment import Environment
from treadle.wiring.checked_request import RunHost
from treadle.workflows.loop.run_history import RunHistory, read_history

POLL_S = 2.0
# The last event of a leg that no process has started.
NOT_STARTED = ("run.queued", "run.reopened")


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """When a worker ends, and how many sessions it runs at once."""

    sessions: int
    until_idle: bool
    report: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class WorkerIdentity:
    """The name of a worker at the engine, and the login whose runs it takes."""

    executor: str
    login: str


async def run_worker(environment: Environment, options: WorkerOptions, stop: asyncio.Event) -> None:
    """Serve the shared queue until asked to stop, or until it is empty."""
    from treadle.durable.open import open_engine

    require_local_root(environment.storage)
    identity = WorkerIdentity(f"{WORKER}{uuid4()}", login_of(environment))
    executor = identity.executor
    host = RunHost(environment, asyncio.Semaphore(options.sessions), asks_by_approval=True)
    location = engine_location(environment.storage)
    children = ChildRuns()
    with lock_executor(environment.root, executor):
        async with open_engine(
            location,
            executor=executor,
            queue=worker_queue(identity.login),
            workflows={ENGINE_WORKFLOW: partial(_execute_queued, host, options.report, children)},
        ) as engine:
            children.open(engine)
            while not stop.is_set():
                with lock_worker(environment.root, identity.login) as become_primary:
                    await _serve(
                        environment, options, stop, partial(_poll, identity, become_primary)
                    )
                # A run may have been queued while this worker still looked alive.
                if not options.until_idle or await _is_idle(environment, identity):
                    return


Poll = Callable[[Environment, WorkerOptions], Awaitable[bool]]


async def _serve(
    environment: Environment, options: WorkerOptions, stop: asyncio.Event, poll: Poll
) -> None:
    last_problem = ""
    while not stop.is_set():
        problem = ""
        try:
            if await poll(environment, options):
                return
        except StoreError as error:
            # Active runs handle store errors themselves.
            problem = f"cannot look for work: {error.message}"
            if problem != last_problem:
                options.report(problem)
        last_problem = problem
        try:
            async with asyncio.timeout(POLL_S):
                await stop.wait()
        except TimeoutError:
            continue


async def _poll(
    identity: WorkerIdentity,
    become_primary: Callable[[], bool],
    environment: Environment,
    options: WorkerOptions,
) -> bool:
    """Recover lost runs and clean up; whether this worker may end."""
    # The primary worker may have ended since this one started.
    become_primary()
    for run in await recover_lost_runs(environment, identity.login):
        options.report(f"starting run {run}")
    await clean_daily(environment, now=SystemClock().now(), report=options.report)
    return options.until_idle and await is_idle(environment, identity.executor, identity.login)


async def _is_idle(environment: Environment, identity: WorkerIdentity) -> bool:
    try:
        return await is_idle(environment, identity.executor, identity.login)
    except StoreError:
        return False  # unknown until the next poll


async def _execute_queued(
    host: RunHost,
    report: Callable[[str], None],
    children: ChildRuns,
    steps: Steps,
    argument: Json,
) -> Json:
    environment = host.environment
    request = request_from(argument)
    stored = _stored_request(request, environment)
    if stored.leg > request.leg and stored.so_far is not None:
        # The process that began the next leg may have ended before it was queued.
        put_on_queue(stored, environment)
        return result_json(stored.so_far)
    request = stored if stored.leg == request.leg else request
    host = replace(host, environment=shell_environment(request, environment))
    try:
        return result_json(await _execute_or_requeue(host, request, steps, children))
    except TreadleError as error:
        result = _end_or_warn(environment, request, error)
        if result is not None:
            return result_json(result)
        report(f"run {short_id(request.run)} is set aside: {_error_text(error)}")
        raise


async def _execute_or_requeue(
    host: RunHost, request: RunRequest, steps: Steps, children: ChildRuns
) -> RunResult:
    leg = await execute_when_free(host, request, steps, children)
    if leg.result.outdated:
        queue_next_leg(leg.checked, leg.result)
    return leg.result


def _stored_request(request: RunRequest, environment: Environment) -> RunRequest:
    """The stored request, which has the options of `treadle resume --detach`."""
    try:
        return read_request(environment.root, request.run)
    except ProjectError:
        return request  # the request is stored on another machine


def _end_or_warn(
    environment: Environment, request: RunRequest, error: TreadleError
) -> RunResult | None:
    """The result of a run that cannot continue; None if it is set aside.

    A run that was not started ends, so that no worker takes it again. A started run records a
    warning, and continues when the problem is solved.
    """
    with suppress(StoreError), closing(open_store(environment.storage)) as store:
        history = read_history(store.read(request.run))
        if history.result is not None:
            return history.result
        clean = make_redactor(known_secrets(environment))
        recorder = Recorder(store, request.run, SystemClock(), (), clean=clean)
        if history.last_event not in NOT_STARTED:
            recorder.record(RunWarned(f"set aside: {_error_text(error)}"))
        elif not isinstance(error, StoreError | WorkflowChanged):
            return _end_unstarted(recorder, history, error)
    return None


def _end_unstarted(recorder: Recorder, history: RunHistory, error: TreadleError) -> RunResult:
    empty = RunResult("error", 0, Tally(), 0.0, Usage(), 0.0)
    result = replace(history.previous_result or empty, reason="error", message=_error_text(error))
    recorder.record(RunEnded(result), once=f"ended {history.leg}")
    return result


def _error_text(error: TreadleError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message
