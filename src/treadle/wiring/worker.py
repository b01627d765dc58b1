"""A worker: takes queued runs and runs that lost their process, and tells them side by side."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.deliverable import Tally
from treadle.domain.errors import ProjectError, ProjectInUse, StoreError, TreadleError
from treadle.domain.events.run import RunEnded, RunWarned
from treadle.domain.ids import short
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage
from treadle.durable.port import SHARED, Json, Steps, StoryChanged
from treadle.policy.redaction import redactor
from treadle.settings.environment import Environment
from treadle.wiring.cleaning import tidy
from treadle.wiring.clock import SystemClock
from treadle.wiring.credentials import known_secrets
from treadle.wiring.holding import WORKER, hold_executor, hold_run, hold_worker
from treadle.wiring.legs import STORY, engine_location
from treadle.wiring.loading import start_loading
from treadle.wiring.rehearsing import with_model
from treadle.wiring.request_json import kept_request, request_from, result_json
from treadle.wiring.run_request import Presence, RunRequest, check
from treadle.wiring.sweeping import idle, sweep
from treadle.wiring.tell import tell
from treadle.workflows.deliver.recollection import Recollection, recollect

LOOK_S = 2.0
BUSY_S = 1.0
# What the log of a run ends with as long as nobody has worked on its leg.
UNBEGUN = ("run.queued", "run.reopened")


@dataclass(frozen=True, slots=True)
class Shift:
    """How long a worker works, and how many sessions it runs at once."""

    sessions: int
    until_idle: bool
    say: Callable[[str], None]


async def work(environment: Environment, shift: Shift, stop: asyncio.Event) -> None:
    """Serve the shared queue until told to stop, or until there is nothing left to do."""
    loading = start_loading(environment.storage)
    await loading.engine()
    from treadle.durable.opening import open_engine

    executor = f"{WORKER}{uuid4()}"
    presence = Presence(environment, asyncio.Semaphore(shift.sessions), asks_by_approval=True)
    location = engine_location(environment.storage)
    with hold_executor(environment.root, executor):
        async with open_engine(
            location,
            executor=executor,
            queue=SHARED,
            stories={STORY: partial(_tell_queued, presence, shift.say)},
        ):
            while not stop.is_set():
                with hold_worker(environment.root) as take_place:
                    await _serve(environment, shift, stop, partial(_look, executor, take_place))
                # Somebody who saw this worker alive may have relied on it in this very moment.
                if not shift.until_idle or await _is_idle(environment, executor):
                    loading.give_up()
                    return


Look = Callable[[Environment, Shift], Awaitable[bool]]


async def _serve(environment: Environment, shift: Shift, stop: asyncio.Event, look: Look) -> None:
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
                shift.say(trouble)
        said = trouble
        try:
            async with asyncio.timeout(LOOK_S):
                await stop.wait()
        except TimeoutError:
            continue


async def _look(
    executor: str, take_place: Callable[[], bool], environment: Environment, shift: Shift
) -> bool:
    """Take what needs a worker; whether this one may end."""
    # Whoever had the place when this worker started may have left it since.
    take_place()
    for run in await sweep(environment):
        shift.say(f"taking over run {run}")
    await tidy(environment, now=SystemClock().now(), say=shift.say)
    return shift.until_idle and await idle(environment, executor)


async def _is_idle(environment: Environment, executor: str) -> bool:
    try:
        return await idle(environment, executor)
    except StoreError:
        return False  # nobody knows: the next look tells


async def _tell_queued(
    presence: Presence, say: Callable[[str], None], steps: Steps, argument: Json
) -> Json:
    environment = presence.environment
    request = _as_asked_last(request_from(argument), environment)
    try:
        return result_json(await _tell_in_turn(presence, request, steps))
    except TreadleError as error:
        ended = _given_up(environment, request, error)
        if ended is not None:
            return result_json(ended)
        say(f"run {short(request.run)} is set aside: {_in_words(error)}")
        raise


async def _tell_in_turn(presence: Presence, request: RunRequest, steps: Steps) -> RunResult:
    ready = await check(request, presence)
    while True:
        try:
            with (
                hold_run(presence.environment.root, ready.project.key, request.run),
                with_model(request, presence) as model,
            ):
                return await tell(replace(ready, presence=model), steps)
        except ProjectInUse:
            # This one has its turn after the other.
            await asyncio.sleep(BUSY_S)


def _as_asked_last(request: RunRequest, environment: Environment) -> RunRequest:
    """What `treadle resume --detach` said anew is kept with the run; the engine has the first."""
    try:
        kept = kept_request(environment.root, request.run)
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
        known = recollect(store.read(request.run))
        if known.ended is not None:
            return known.ended
        clean = redactor(known_secrets(environment))
        recorder = Recorder(store, request.run, SystemClock(), (), clean=clean)
        if known.last not in UNBEGUN:
            recorder.record(RunWarned(f"set aside: {_in_words(error)}"))
        elif not isinstance(error, StoreError | StoryChanged):
            return _end_unbegun(recorder, known, error)
    return None


def _end_unbegun(recorder: Recorder, known: Recollection, error: TreadleError) -> RunResult:
    nothing = RunResult("error", 0, Tally(), 0.0, Usage(), 0.0)
    result = replace(known.before or nothing, reason="error", message=_in_words(error))
    recorder.record_once(f"ended {known.leg}", RunEnded(result))
    return result


def _in_words(error: TreadleError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message
