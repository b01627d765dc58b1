"""`treadle retry`: a run that gave up tries again."""

from typing import Any

import click

from treadle.cli.context import Given
from treadle.cli.going_on import go_on, goes_on
from treadle.domain.run_row import RunRow


@click.command("retry")
@goes_on
@click.pass_obj
def command(given: Given, row: RunRow, /, **values: Any) -> int:
    """Let RUN try again: an id, any unique end of one, or `last`.

    As `resume`, for a run that failed or got stuck; what is blocked becomes pending again.
    """
    return go_on(given, row, "retry", values)
