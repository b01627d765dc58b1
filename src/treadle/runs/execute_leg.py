"""Executes a leg of any run in this process: that of a queue by its items, others by sessions."""

import asyncio
from dataclasses import dataclass, replace

from treadle.domain.errors import ProjectInUse
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.durable.port import Steps
from treadle.runs.child_runs import ChildRuns
from treadle.runs.execute import execute
from treadle.runs.locks import lock_run
from treadle.runs.next_leg import queue_following
from treadle.runs.queue_execution import execute_queue
from treadle.runs.rehearsal_model import with_model
from treadle.runs.request import check_request
from treadle.wiring.checked_request import CheckedRequest, RunHost

BUSY_S = 1.0


@dataclass(frozen=True, slots=True)
class ExecutedLeg:
    checked: CheckedRequest
    result: RunResult


async def execute_leg(checked: CheckedRequest, steps: Steps, children: ChildRuns) -> RunResult:
    """Execute the leg and return its result. The caller holds the run's locks."""
    if checked.workflow.items is not None:
        return await execute_queue(checked, children)
    result = await execute(checked, steps)
    queue_following(checked, result)
    return result


async def execute_when_free(
    host: RunHost, request: RunRequest, steps: Steps, children: ChildRuns
) -> ExecutedLeg:
    """Execute the leg as soon as its locks are free."""
    checked = await check_request(request, host)
    root, project = host.environment.root, checked.project
    while True:
        try:
            with (
                lock_run(root, project.key, request.run, project.root, checked.workflow.place),
                with_model(request, host) as host_with_model,
            ):
                leg = replace(checked, host=host_with_model)
                return ExecutedLeg(checked, await execute_leg(leg, steps, children))
        except ProjectInUse:
            await asyncio.sleep(BUSY_S)
