"""`treadle task`: plans one task, asks about the plan, and builds it on a branch of its own."""

from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, workflow_options
from treadle.cli.start import start_run
from treadle.domain.errors import UsageError


@click.command("task")
@click.argument("words", metavar="WORDS")
@workflow_options
@click.pass_obj
def command(context: CommandContext, /, words: str, **values: Any) -> int:
    """Plan WORDS, ask about the plan, then build and review it on a branch.

    A planner reads the project and writes a plan with criteria and checks. You approve it, deny it
    or reply with changes; after 20 minutes without an answer it counts as approved. Your checkout,
    index and HEAD stay as they are, and several tasks can run at once.
    """
    if not words.strip():
        raise UsageError("a task needs words", hint='treadle task "What to do"')
    return start_run(context, WorkflowOptions(**values), "task", {"words": words})
