"""`treadle cancel`: ends a run from any terminal; its work so far is kept."""

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_reference import run_argument
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.runs.cancel import cancel


@click.command("cancel")
@run_argument
@click.pass_obj
def command(context: CommandContext, row: RunRow) -> None:
    """End RUN: an id, any unique end of one, or `last`. Its work so far stays on its branch."""
    run = short_id(row.id)
    match cancel(row, context.environment):
        case "asked":
            click.echo(f"Run {run} was asked to stop: it saves its work first.", err=True)
        case "ended":
            click.echo(f"Run {run} is cancelled; no process was working on it.", err=True)
