"""`treadle sync`: checks every deliverable again, against the code and the specification."""

from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, workflow_options
from treadle.cli.start import start_run


@click.command("sync")
@workflow_options
@click.pass_obj
def command(context: CommandContext, /, **values: Any) -> int:
    """Judge the deliverables anew, against the code and the specification.

    All checks are run again, then a session that can change no file examines what was claimed,
    sets statuses, writes the notes and proposes what is missing. Your files stay as they are.
    """
    return start_run(context, WorkflowOptions(**values), "sync")
