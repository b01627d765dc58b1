"""`treadle resume`: a run that stopped goes on where it was."""

from typing import Any

import click

from treadle.cli.context import Given
from treadle.cli.going_on import go_on, goes_on
from treadle.domain.run_row import RunRow


@click.command("resume")
@goes_on
@click.pass_obj
def command(given: Given, row: RunRow, /, **values: Any) -> int:
    """Go on with RUN where it was: an id, any unique end of one, or `last`.

    A run that lost its process goes on with the session that was cut off. One that was stopped, by
    you or by a limit, goes on with a fresh session; raise the limit here. What it has used counts.
    """
    return go_on(given, row, "resume", values)
