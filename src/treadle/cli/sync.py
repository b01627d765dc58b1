"""`treadle sync`: judges the deliverables anew, against the code and the specification."""

from typing import Any

import click

from treadle.cli.beginning import begin
from treadle.cli.context import Given
from treadle.cli.options import WorkflowOptions, workflow_options


@click.command("sync")
@workflow_options
@click.pass_obj
def command(given: Given, /, **values: Any) -> int:
    """Judge the deliverables anew, against the code and the specification.

    All checks are run again, then a session that can change no file examines what was claimed,
    sets statuses, writes the notes and proposes what is missing. Your files stay as they are.
    """
    return begin(given, WorkflowOptions(**values), "sync")
