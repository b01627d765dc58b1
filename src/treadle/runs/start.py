"""Starts a run in the foreground, as its own executor at the engine."""

from dataclasses import replace

from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.durable.port import Json, Steps
from treadle.runs.child_runs import ChildRuns
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location, leg_name, own_queue
from treadle.runs.execute_leg import execute_leg, execute_when_free
from treadle.runs.locks import lock_run
from treadle.runs.previous_runs import previous_runs_of
from treadle.runs.rehearsal_model import store_script
from treadle.runs.request import check_request, with_variables
from treadle.runs.request_json import (
    request_from,
    request_json,
    result_from,
    result_json,
    store_request,
)
from treadle.runs.shell_environment import with_shell_environment
from treadle.wiring.checked_request import CheckedRequest, RunHost

POLL_S = 0.5
# Nothing comes on the queue of a new run, and each poll costs as much as a step.
IDLE_POLL_S = 10.0


async def run_in_foreground(request: RunRequest, host: RunHost) -> RunResult:
    """Run to the end and return the result. Errors of the user are raised before the start."""
    request = with_variables(request, host.environment)
    checked = await check_request(request, host)
    root, run = host.environment.root, request.run
    with lock_run(root, checked.project.key, run, checked.project.root, checked.workflow.place):
        previous = await previous_runs_of(checked)
        request = with_shell_environment(request, host.environment)
        store_request(root, request)
        if host.rehearsing is not None:
            store_script(root, run, host.rehearsing.script)
        checked = replace(checked, request=request, previous=previous)
        return await execute_in_foreground(checked, poll_s=IDLE_POLL_S)


async def execute_in_foreground(checked: CheckedRequest, *, poll_s: float = POLL_S) -> RunResult:
    """Execute the run's leg in this process; the caller holds the run's locks.

    A leg that another process started arrives on the run's own queue, within `poll_s`.
    """
    # Imported here, because it is slow to load and refused requests do not need it.
    from treadle.durable.open import open_engine

    request, children = checked.request, ChildRuns()

    async def workflow(steps: Steps, argument: Json) -> Json:
        asked = request_from(argument)
        if asked.run == request.run:
            return result_json(await execute_leg(checked, steps, children))
        host = replace(checked.host, signals=children.signals)
        return result_json((await execute_when_free(host, asked, steps, children)).result)

    async with open_engine(
        engine_location(checked.environment.storage),
        executor=request.run,
        queue=own_queue(request.run),
        workflows={ENGINE_WORKFLOW: workflow},
        poll_s=poll_s,
    ) as engine:
        children.open(engine)
        name = leg_name(request.run, request.leg)
        return result_from(await engine.run(name, ENGINE_WORKFLOW, request_json(request)))
