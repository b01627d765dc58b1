"""`treadle drop`: gives up the work of a run; all of it is backed up first."""

import asyncio
from datetime import UTC, datetime

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_reference import project_run_argument
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from
from treadle.runs.clean import backup_end
from treadle.runs.drop import drop_run
from treadle.views.recovery_text import restorable_text


@click.command("drop")
@project_run_argument
@click.pass_obj
def command(context: CommandContext, row: RunRow) -> None:
    """Give up the work of RUN: an id, its beginning or end, or `last`.

    Backs up its commits and its work in progress, then removes its branch and its workspace.
    `treadle undo` restores them for retention.days. Refuses a run that is still working. Work that
    has landed stays in your checkout, and what was pushed stays on the remote.

    \b
    Example:
      treadle drop last
    """
    report = asyncio.run(drop_run(row, context.environment))
    run = short_id(row.id)
    names = [each.branch for each in report.dropped.branches]
    removed = " and ".join([*names, "its workspace"])
    click.echo(f"dropped run {run} of {path_from(row.project_path)}: removed {removed}")
    if report.landed:
        click.echo("  What has landed stays in your checkout.")
    if report.missing:
        click.echo(f"  Not everything is backed up: {report.missing}", err=True)
    until = backup_end(context.environment, row, datetime.now(UTC))
    click.echo(f"  {restorable_text(row.id, until)}")
