"""A worker: takes queued runs and runs that lost their process, and tells them side by side."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.deliverable import Tally
from treadle.domain.errors import ProjectError, ProjectInUse, TreadleError
from treadle.domain.events.run import RunEnded
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage
from treadle.durable.port import SHARED, Json, Steps
from treadle.settings.environment import Environment
from treadle.wiring.cleaning import tidy
from treadle.wiring.clock import SystemClock
from treadle.wiring.deliver import tell
from treadle.wiring.deliver_request import DeliverRequest, Presence, check
from treadle.wiring.holding import WORKER, hold_executor, hold_run, hold_worker
from treadle.wiring.legs import STORY, engine_location
from treadle.wiring.rehearsing import with_model
from treadle.wiring.request_json import kept_request, request_from, result_json
from treadle.wiring.sweeping import idle, sweep

LOOK_S = 2.0
BUSY_S = 1.0


@dataclass(frozen=True, slots=True)
class Shift:
    """How long a worker works, and how many sessions it runs at once."""

    sessions: int
    until_idle: bool
    say: Callable[[str], None]


async def work(environment: Environment, shift: Shift, stop: asyncio.Event) -> None:
    """Serve the shared queue until told to stop, or until there is nothing left to do."""
    from treadle.durable.opening import open_engine

    executor = f"{WORKER}{uuid4()}"
    presence = Presence(environment, asyncio.Semaphore(shift.sessions), asks_by_approval=True)
    location = engine_location(environment.storage)
    with hold_executor(environment.root, executor):
        async with open_engine(
            location,
            executor=executor,
            queue=SHARED,
            stories={STORY: partial(_tell_queued, presence)},
            clock=SystemClock(),
        ):
            while not stop.is_set():
                with hold_worker(environment.root):
                    await _serve(environment, executor, shift, stop)
                # Somebody who saw this worker alive may have relied on it in this very moment.
                if not shift.until_idle or await idle(environment, executor):
                    return


async def _serve(
    environment: Environment, executor: str, shift: Shift, stop: asyncio.Event
) -> None:
    while not stop.is_set():
        for run in await sweep(environment):
            shift.say(f"taking over run {run}")
        await tidy(environment, now=SystemClock().now(), say=shift.say)
        if shift.until_idle and await idle(environment, executor):
            return
        try:
            async with asyncio.timeout(LOOK_S):
                await stop.wait()
        except TimeoutError:
            continue


async def _tell_queued(presence: Presence, steps: Steps, argument: Json) -> Json:
    environment = presence.environment
    request = _as_asked_last(request_from(argument), environment)
    try:
        ready = await check(request, presence)
    except TreadleError as error:
        return result_json(_end_unbegun(environment, request, error))
    key = ready.project.key
    while True:
        try:
            with (
                hold_run(environment.root, key, request.run),
                with_model(request, presence) as model,
            ):
                return result_json(await tell(replace(ready, presence=model), steps))
        except ProjectInUse:
            # This one has its turn after the other.
            await asyncio.sleep(BUSY_S)


def _as_asked_last(request: DeliverRequest, environment: Environment) -> DeliverRequest:
    """What `treadle resume --detach` said anew is kept with the run; the engine has the first."""
    try:
        kept = kept_request(environment.root, request.run)
    except ProjectError:
        return request  # asked for on another machine
    return kept if kept.leg == request.leg else request


def _end_unbegun(
    environment: Environment, request: DeliverRequest, error: TreadleError
) -> RunResult:
    """A run that cannot even begin ends by value, so that nobody takes it up again."""
    hint = f" ({error.hint})" if error.hint else ""
    message = f"{error.message}{hint}"
    result = request.so_far or RunResult("error", 0, Tally(), 0.0, Usage(), 0.0)
    result = replace(result, reason="error", message=message)
    with closing(open_store(environment.storage)) as store:
        recorder = Recorder(store, request.run, SystemClock(), ())
        recorder.record_once(f"ended {request.leg}", RunEnded(result))
    return result
