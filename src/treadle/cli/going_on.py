"""What `resume` and `retry` share: a run that stopped goes on, here or with the workers."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import click

from treadle.cli.attending import attended
from treadle.cli.context import Given
from treadle.cli.detaching import say_detached
from treadle.cli.options import Showing, showing_options
from treadle.cli.run_reference import names_a_run_of_this_project
from treadle.domain.run_row import RunRow
from treadle.wiring.resuming import Wish, resume, resume_detached
from treadle.wiring.run_request import Presence

_RAISED = (
    click.option("--max-cost", type=float, metavar="USD", help="Dollars the whole run may cost."),
    click.option("--max-minutes", type=float, metavar="N", help="Minutes the run may take in all."),
    click.option(
        "-n", "--max-iterations", type=int, metavar="N", help="Rounds it may take in all."
    ),
    click.option("--max-retries", type=int, metavar="N", help="Failed rounds in a row to retry."),
    click.option(
        "--wait-for-quota/--no-wait-for-quota",
        default=None,
        help="Sleep until the provider's quota is back.",
    ),
    click.option("--no-sandbox", is_flag=True, help="Run the agent unconfined."),
    click.option("--detach", is_flag=True, help="Leave the run to a worker in the background."),
)


def goes_on(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare RUN and what can be said anew about it."""
    command = showing_options(command)
    for option in reversed(_RAISED):
        command = option(command)
    return names_a_run_of_this_project(command)


def go_on(given: Given, row: RunRow, by: Literal["resume", "retry"], values: dict[str, Any]) -> int:
    """See the run through, or hand it to the workers."""
    wish = Wish(
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
        presence = Presence(given.environment, asyncio.Semaphore(1))
        asyncio.run(resume_detached(wish, presence))
        say_detached(row.id)
        return 0
    return asyncio.run(attended(given, Showing(**values), partial(resume, wish)))
