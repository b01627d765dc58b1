"""`treadle cancel`: ends a run from any terminal; its work so far is kept."""

import click

from treadle.cli.context import Given
from treadle.cli.run_reference import names_a_run
from treadle.domain.ids import short
from treadle.domain.run_row import RunRow
from treadle.wiring.cancelling import cancel


@click.command("cancel")
@names_a_run
@click.pass_obj
def command(given: Given, row: RunRow) -> None:
    """End RUN: an id, any unique end of one, or `last`. Its work so far stays on its branch."""
    run = short(row.id)
    match cancel(row, given.environment):
        case "asked":
            click.echo(f"Run {run} was asked to stop: it saves its work first.", err=True)
        case "ended":
            click.echo(f"Run {run} is cancelled; no process was working on it.", err=True)
