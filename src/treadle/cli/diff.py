"""`treadle diff`: prints what a run changed."""

import asyncio
import os
import stat as file_modes
import sys
from typing import TextIO

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_reference import run_argument
from treadle.domain.run_row import RunRow
from treadle.runs.finished_work import diff_run
from treadle.views.safe_text import escape_controls, escape_patch

# Makes `git apply` and `patch` refuse what they would otherwise apply with the escapes in it.
NO_PATCH = "@@ -1 +1 @@ shown with escapes, so this is not a patch: use `treadle diff --raw`"


@click.command("diff")
@run_argument
@click.option("--stat", is_flag=True, help="Show only changed files and line counts.")
@click.option("--raw", is_flag=True, help="Print raw bytes, for `git apply`.")
@click.pass_obj
def command(context: CommandContext, row: RunRow, *, stat: bool, raw: bool) -> None:
    """Show what RUN changed: an id, its beginning or end, or `last`.

    \b
    Examples:
      treadle diff
      treadle diff last --raw | git apply --check
    """
    text = asyncio.run(diff_run(row, context.environment, stat=stat))
    printed = text if raw or _is_file(sys.stdout) else _escaped(text)
    # As bytes: a patch has the bytes of the files, whatever the encoding of the terminal.
    click.echo(os.fsencode(printed))


def _escaped(text: str) -> str:
    """An agent wrote the files: nothing in them may control the terminal, which is often at the end
    of a pipe, too."""
    if sys.stdout.isatty():
        return escape_controls(text)
    escaped = escape_patch(text)
    return text if escaped == text else f"{escaped}\n{NO_PATCH}"


def _is_file(stream: TextIO) -> bool:
    try:
        return file_modes.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # also io.UnsupportedOperation
        return False
