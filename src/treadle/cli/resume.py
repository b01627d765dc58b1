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
    """Continue RUN where it stopped: an id, its beginning or end, or `last`.

    A run that lost its process continues its interrupted session. A run that you or a limit stopped
    starts a fresh session; raise the limit here. What it has used still counts.

    \b
    Examples:
      treadle resume
      treadle resume last --max-cost 30
    """
    return resume_run(context, row, "resume", values)
