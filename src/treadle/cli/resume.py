"""`treadle resume`: continues a run that stopped."""

from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.resume_options import resume_options, resume_run
from treadle.domain.run_row import RunRow


@click.command("resume")
@resume_options
@click.pass_obj
def command(context: CommandContext, row: RunRow, /, **values: Any) -> int:
    """Go on with RUN where it was: an id, any unique end of one, or `last`.

    A run that lost its process goes on with the session that was cut off. One that was stopped, by
    you or by a limit, goes on with a fresh session; raise the limit here. What it has used counts.
    """
    return resume_run(context, row, "resume", values)
