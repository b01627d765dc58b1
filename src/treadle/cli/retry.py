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
    """Let RUN try again: an id, any unique end of one, or `last`.

    As `resume`, for a run that failed or got stuck; what is blocked becomes pending again.
    """
    return resume_run(context, row, "retry", values)
