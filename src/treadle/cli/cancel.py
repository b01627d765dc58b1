"""`treadle cancel`: ends a run from any terminal; its work so far is kept."""

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_reference import is_last, run_argument
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.runs.cancel import cancel
from treadle.runs.item_queue import queue_at_work


@click.command("cancel")
@run_argument
@click.pass_obj
def command(context: CommandContext, row: RunRow) -> None:
    """End RUN: an id, its beginning or end, or `last`. Its work stays on its branch.

    While a queue works on an item, `last` is the queue; the id of the item ends that item alone.

    \b
    Example:
      treadle cancel last
    """
    queue = queue_at_work(context.environment.storage, row) if is_last() else None
    name = f"{'Run' if queue is None else 'Queue'} {short_id((queue or row).id)}"
    match cancel(queue or row, context.environment):
        case "asked":
            click.echo(f"{name} was asked to stop: it saves its work first.", err=True)
        case "ended":
            click.echo(f"{name} is cancelled; no process was working on it.", err=True)
