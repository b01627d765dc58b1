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
from treadle.domain.errors import ProjectError, ProjectInUse, StoreError, TreadleError
from treadle.domain.events.run import RunEnded, RunWarned
from treadle.domain.ids import short_id
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.usage import Usage
from treadle.durable.port import SHARED_QUEUE, Json, Steps, WorkflowChanged
from treadle.policy.redaction import make_redactor
from treadle.runs.clean import clean_daily
from treadle.runs.credentials import known_secrets
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location
from treadle.runs.execute import execute
from treadle.runs.locks import WORKER, lock_executor, lock_run, lock_worker
from treadle.runs.recovery import is_idle, recover_lost_runs
from treadle.runs.rehearsal_model import with_model
from treadle.runs.request import check_request
from treadle.runs.request_json import read_request, request_from, result_json
from treadle.settings.environment import Environment
from treadle.wiring.checked_request import RunHost
from treadle.workflows.loop.run_history import RunHistory, read_history

POLL_S = 2.0
BUSY_S = 1.0
# What the log of a run ends with as long as nobody has worked on its leg.
UNBEGUN = ("run.queued", "run.reopened")


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How long a worker works, and how many sessions it runs at once."""

    sessions: int
    until_idle: bool
    report: Callable[[str], None]


async def run_worker(environment: Environment, shift: WorkerOptions, stop: asyncio.Event) -> None:
    """Serve the shared queue until told to stop, or until there is nothing left to do."""
    from treadle.durable.open import open_engine

    executor = f"{WORKER}{uuid4()}"
    presence = RunHost(environment, asyncio.Semaphore(shift.sessions), asks_by_approval=True)
    location = engine_location(environment.storage)
    with lock_executor(environment.root, executor):
        async with open_engine(
            location,
            executor=executor,
            queue=SHARED_QUEUE,
            workflows={ENGINE_WORKFLOW: partial(_tell_queued, presence, shift.report)},
        ):
            while not stop.is_set():
                with lock_worker(environment.root) as take_place:
                    await _serve(environment, shift, stop, partial(_look, executor, take_place))
                # Somebody who saw this worker alive may have relied on it in this very moment.
                if not shift.until_idle or await _is_idle(environment, executor):
                    return


Look = Callable[[Environment, WorkerOptions], Awaitable[bool]]


async def _serve(
    environment: Environment, shift: WorkerOptions, stop: asyncio.Event, look: Look
) -> None:
    said = ""
    while not stop.is_set():
        trouble = ""
        try:
            if await look(environment, shift):
                return
        except StoreError as error:
            # The runs at work have their own ways to live with that.
            trouble = f"cannot look for work: {error.message}"
            if trouble != said:
                shift.report(trouble)
        said = trouble
        try:
            async with asyncio.timeout(POLL_S):
                await stop.wait()
        except TimeoutError:
            continue


async def _look(
    executor: str, take_place: Callable[[], bool], environment: Environment, shift: WorkerOptions
) -> bool:
    """Take what needs a worker; whether this one may end."""
    # Whoever had the place when this worker started may have left it since.
    take_place()
    for run in await recover_lost_runs(environment):
        shift.report(f"taking over run {run}")
    await clean_daily(environment, now=SystemClock().now(), say=shift.report)
    return shift.until_idle and await is_idle(environment, executor)


async def _is_idle(environment: Environment, executor: str) -> bool:
    try:
        return await is_idle(environment, executor)
    except StoreError:
        return False  # nobody knows: the next look tells


async def _tell_queued(
    presence: RunHost, say: Callable[[str], None], steps: Steps, argument: Json
) -> Json:
    environment = presence.environment
    request = _as_asked_last(request_from(argument), environment)
    try:
        return result_json(await _tell_in_turn(presence, request, steps))
    except TreadleError as error:
        ended = _given_up(environment, request, error)
        if ended is not None:
            return result_json(ended)
        say(f"run {short_id(request.run)} is set aside: {_in_words(error)}")
        raise


async def _tell_in_turn(presence: RunHost, request: RunRequest, steps: Steps) -> RunResult:
    ready = await check_request(request, presence)
    while True:
        try:
            with (
                lock_run(presence.environment.root, ready.project.key, request.run),
                with_model(request, presence) as model,
            ):
                return await execute(replace(ready, host=model), steps)
        except ProjectInUse:
            # This one has its turn after the other.
            await asyncio.sleep(BUSY_S)


def _as_asked_last(request: RunRequest, environment: Environment) -> RunRequest:
    """What `treadle resume --detach` said anew is kept with the run; the engine has the first."""
    try:
        kept = read_request(environment.root, request.run)
    except ProjectError:
        return request  # asked for on another machine
    return kept if kept.leg == request.leg else request


def _given_up(
    environment: Environment, request: RunRequest, error: TreadleError
) -> RunResult | None:
    """The end of a run that cannot go on, if it has one; None if it is to be set aside.

    One that had not begun ends by value, so that nobody takes it up again. One that had keeps
    what it has: it says why it stands still, and goes on when that is put right.
    """
    with suppress(StoreError), closing(open_store(environment.storage)) as store:
        known = read_history(store.read(request.run))
        if known.result is not None:
            return known.result
        clean = make_redactor(known_secrets(environment))
        recorder = Recorder(store, request.run, SystemClock(), (), clean=clean)
        if known.last_event not in UNBEGUN:
            recorder.record(RunWarned(f"set aside: {_in_words(error)}"))
        elif not isinstance(error, StoreError | WorkflowChanged):
            return _end_unbegun(recorder, known, error)
    return None


def _end_unbegun(recorder: Recorder, known: RunHistory, error: TreadleError) -> RunResult:
    nothing = RunResult("error", 0, Tally(), 0.0, Usage(), 0.0)
    result = replace(known.previous_result or nothing, reason="error", message=_in_words(error))
    recorder.record(RunEnded(result), once=f"ended {known.leg}")
    return result


def _in_words(error: TreadleError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message
