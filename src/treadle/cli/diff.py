"""`treadle diff`: prints what a run changed."""

import asyncio
import os
import sys

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_reference import run_argument
from treadle.domain.run_row import RunRow
from treadle.runs.finished_work import diff_run
from treadle.views.safe_text import escape_controls


@click.command("diff")
@run_argument
@click.option("--stat", is_flag=True, help="Only the files and how much of them changed.")
@click.pass_obj
def command(context: CommandContext, row: RunRow, *, stat: bool) -> None:
    """What RUN changed: an id, the end of one, or `last`."""
    text = asyncio.run(diff_run(row, context.environment, stat=stat))
    # An agent wrote the files: nothing in them may control the terminal.
    printed = escape_controls(text) if sys.stdout.isatty() else text
    # As bytes: a patch has the bytes of the files, whatever the encoding of the terminal.
    click.echo(os.fsencode(printed))
