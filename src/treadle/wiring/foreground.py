"""A run in the foreground: its own executor at the engine, from its start to its end."""

from dataclasses import replace

from treadle.domain.run import RunResult
from treadle.durable.port import Json, Steps
from treadle.wiring.earlier import past_of
from treadle.wiring.holding import hold_run
from treadle.wiring.legs import STORY, engine_location, leg_name, own_queue
from treadle.wiring.loading import start_loading
from treadle.wiring.rehearsing import keep_script
from treadle.wiring.request_json import keep_request, request_json, result_from, result_json
from treadle.wiring.run_request import Presence, Ready, RunRequest, check, with_variables
from treadle.wiring.tell import tell

POLL_S = 0.5
# On the queue of a run that begins nothing ever comes, and each look there costs as much as a step.
IDLE_POLL_S = 10.0


async def run_in_foreground(request: RunRequest, presence: Presence) -> RunResult:
    """One whole run. A user's mistakes are raised before it starts; then it ends by value."""
    loading = start_loading(presence.environment.storage)
    try:
        request = with_variables(request, presence.environment)
        ready = await check(request, presence)
        root, run = presence.environment.root, request.run
        with hold_run(root, ready.project.key, run):
            past = await past_of(
                presence.environment.storage,
                ready.project,
                before=run,
                rehearsal=request.rehearsal,
            )
            keep_request(root, request)
            if presence.rehearsing is not None:
                keep_script(root, run, presence.rehearsing.script)
            return await in_foreground(replace(ready, past=past), poll_s=IDLE_POLL_S)
    finally:
        loading.give_up()


async def in_foreground(ready: Ready, *, poll_s: float = POLL_S) -> RunResult:
    """Tell the run's leg in this process; the caller holds the run's locks.

    What another process had begun of it comes by the run's own queue, within `poll_s`.
    """
    await start_loading(ready.environment.storage).engine()
    from treadle.durable.opening import open_engine

    request = ready.request

    async def story(steps: Steps, _: Json) -> Json:
        return result_json(await tell(ready, steps))

    async with open_engine(
        engine_location(ready.environment.storage),
        executor=request.run,
        queue=own_queue(request.run),
        stories={STORY: story},
        poll_s=poll_s,
    ) as engine:
        name = leg_name(request.run, request.leg)
        return result_from(await engine.tell(name, STORY, request_json(request)))
