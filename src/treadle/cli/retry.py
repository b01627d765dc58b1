"""`treadle retry`: lets a run that gave up try again."""

from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.resume_options import resume_options, resume_run
from treadle.domain.run_row import RunRow


@click.command("retry")
@resume_options
@click.pass_obj
def command(context: CommandContext, row: RunRow, /, **values: Any) -> int:
    """Continue RUN after it gave up: an id, its beginning or end, or `last`.

    Like `resume`, for a run that failed or got stuck. Blocked deliverables become pending again.

    \b
    Example:
      treadle retry last
    """
    return resume_run(context, row, "retry", values)
