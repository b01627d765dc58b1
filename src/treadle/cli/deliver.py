"""`treadle deliver`: takes SPEC.md to finished, committed work."""

from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, workflow_options
from treadle.cli.start import start_run


@click.command("deliver")
@workflow_options
@click.pass_obj
def command(context: CommandContext, /, **values: Any) -> int:
    """Take SPEC.md to finished, committed work.

    The first session splits the specification into deliverables; every later one starts fresh
    and builds. The work happens in a clone of its own and comes back as a branch; when all is
    done and your checkout has not changed meanwhile, it is fast-forwarded.
    """
    return start_run(context, WorkflowOptions(**values), "deliver")
