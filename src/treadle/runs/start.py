"""Starts a run in the foreground, as its own executor at the engine."""

from dataclasses import replace

from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.durable.port import Json, Steps
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location, leg_name, own_queue
from treadle.runs.execute import execute
from treadle.runs.locks import lock_run
from treadle.runs.previous_runs import find_previous_runs
from treadle.runs.rehearsal_model import store_script
from treadle.runs.request import check_request, with_variables
from treadle.runs.request_json import request_json, result_from, result_json, store_request
from treadle.wiring.checked_request import CheckedRequest, RunHost

POLL_S = 0.5
# On the queue of a run that begins nothing ever comes, and each look there costs as much as a step.
IDLE_POLL_S = 10.0


async def run_in_foreground(request: RunRequest, presence: RunHost) -> RunResult:
    """One whole run. A user's mistakes are raised before it starts; then it ends by value."""
    request = with_variables(request, presence.environment)
    ready = await check_request(request, presence)
    root, run = presence.environment.root, request.run
    with lock_run(root, ready.project.key, run):
        past = await find_previous_runs(
            presence.environment.storage,
            ready.project,
            before=run,
            rehearsal=request.rehearsal,
        )
        store_request(root, request)
        if presence.rehearsing is not None:
            store_script(root, run, presence.rehearsing.script)
        return await execute_in_foreground(replace(ready, previous=past), poll_s=IDLE_POLL_S)


async def execute_in_foreground(ready: CheckedRequest, *, poll_s: float = POLL_S) -> RunResult:
    """Tell the run's leg in this process; the caller holds the run's locks.

    What another process had begun of it comes by the run's own queue, within `poll_s`.
    """
    # Slow to load: a request that is refused does not wait for it.
    from treadle.durable.open import open_engine

    request = ready.request

    async def workflow(steps: Steps, _: Json) -> Json:
        return result_json(await execute(ready, steps))

    async with open_engine(
        engine_location(ready.environment.storage),
        executor=request.run,
        queue=own_queue(request.run),
        workflows={ENGINE_WORKFLOW: workflow},
        poll_s=poll_s,
    ) as engine:
        name = leg_name(request.run, request.leg)
        return result_from(await engine.run(name, ENGINE_WORKFLOW, request_json(request)))
