"""`treadle sync`: checks every deliverable again, against the code and the specification."""

from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, read_only_options
from treadle.cli.start import start_run


@click.command("sync")
@read_only_options
@click.pass_obj
def command(context: CommandContext, /, **values: Any) -> int:
    """Check every deliverable again, against the code and the specification.

    Treadle runs all checks. Then a read-only session examines the claims, sets statuses and
    proposes what is missing. Your files do not change.

    \b
    Example:
      treadle sync
    """
    return start_run(context, WorkflowOptions(**values), "sync")
