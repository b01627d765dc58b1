"""The options that `resume` and `retry` share, and how both continue a stopped run."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import OutputOptions, output_options
from treadle.cli.run_reference import is_last, project_run_argument
from treadle.cli.start import print_detached, run_in_terminal
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.runs.item_queue import queue_to_resume
from treadle.runs.resume import ResumeRequest, resume, resume_detached
from treadle.wiring.checked_request import RunHost

_RESUME_OPTIONS = (
    click.option(
        "--max-cost", type=float, metavar="USD", help="Maximum cost of the whole run in US dollars."
    ),
    click.option(
        "--max-minutes", type=float, metavar="N", help="Maximum running time in minutes, in total."
    ),
    click.option("-n", "--max-iterations", type=int, metavar="N", help="Maximum rounds, in total."),
    click.option("--max-retries", type=int, metavar="N", help="Failed rounds in a row to retry."),
    click.option(
        "--wait-for-quota/--no-wait-for-quota",
        default=None,
        help="Wait until the quota resets.",
    ),
    click.option("--no-sandbox", is_flag=True, help="Run the agent without a sandbox."),
    click.option("--detach", is_flag=True, help="Run in the background."),
)


def resume_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare RUN and the options that can be given again."""
    command = output_options(command)
    for option in reversed(_RESUME_OPTIONS):
        command = option(command)
    return project_run_argument(command)


def resume_run(
    context: CommandContext, row: RunRow, by: Literal["resume", "retry"], values: dict[str, Any]
) -> int:
    """Continue the run here until it ends, or leave it to a worker; of an item, its queue."""
    queue = queue_to_resume(context.environment.storage, row, is_last=is_last())
    if queue is not None:
        name = short_id(queue.id)
        click.echo(f"Run {short_id(row.id)} is an item of queue {name}: continuing it.", err=True)
        row = queue
    if row.state == "succeeded":
        run = short_id(row.id)
        click.echo(f"Run {run} is done. See what it changed with `treadle diff {run}`.")
        return 0
    request = ResumeRequest(
        row=row,
        by=by,
        flags={
            "limits.max_cost_usd": values.pop("max_cost"),
            "limits.max_minutes": values.pop("max_minutes"),
            "limits.max_iterations": values.pop("max_iterations"),
            "limits.max_retries": values.pop("max_retries"),
            "quota.wait": values.pop("wait_for_quota"),
        },
        no_sandbox=values.pop("no_sandbox"),
    )
    if values.pop("detach"):
        host = RunHost(context.environment, asyncio.Semaphore(1))
        asyncio.run(resume_detached(request, host))
        print_detached(row.id)
        return 0
    return asyncio.run(run_in_terminal(context, OutputOptions(**values), partial(resume, request)))
