"""`treadle pause`: lets a run save its work and end, to be resumed later."""

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_reference import is_last, run_argument
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.runs.cancel import pause
from treadle.runs.item_queue import queue_at_work


@click.command("pause")
@run_argument
@click.pass_obj
def command(context: CommandContext, row: RunRow) -> None:
    """Let RUN save its work and end. `treadle resume` continues it. RUN may be a queue.

    If RUN works on an item of a queue, the queue ends with it. Then resume the queue.

    \b
    Example:
      treadle pause last
    """
    queue = queue_at_work(context.environment.storage, row) if is_last() else None
    paused = pause(queue or row, context.environment)
    run = short_id(paused)
    name = f"Run {run}" if paused == row.id else f"Queue {run}"
    click.echo(
        f"{name} saves its work and ends. Continue it with `treadle resume {run}`.", err=True
    )
