"""`treadle watch`: works off the items of `.treadle/backlog`, one `focus` run each."""

from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, workflow_options
from treadle.cli.start import start_run


@click.command("watch")
@click.option("--once", is_flag=True, help="End when no item is left that can be done now.")
@workflow_options
@click.pass_obj
def command(context: CommandContext, /, *, once: bool, **values: Any) -> int:
    """Work through the items of `.treadle/backlog` in the order of their names, one run each.

    An item is a text file that says what to work on. Treadle removes an item once a review has
    approved the work, unless the item has changed meanwhile. An item that failed stays, with the
    reason in a file next to it. The run waits for new items, and for you if the specifications are
    unclear.

    \b
    Example:
      treadle watch --once
    """
    inputs = {"once": "yes" if once else ""}
    return start_run(context, WorkflowOptions(**values), "watch", inputs)
