"""`treadle task`: plans one task, asks about the plan, builds it and opens a pull request."""

import asyncio
from collections.abc import Mapping
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, workflow_options
from treadle.cli.start import start_run
from treadle.domain.errors import UsageError


@click.command("task")
@click.argument("words", metavar="WORDS", required=False, default="")
@click.option("--issue", metavar="URL|#N", help="Take the task from an issue of the project.")
@workflow_options
@click.pass_obj
def command(context: CommandContext, /, words: str, issue: str | None, **values: Any) -> int:
    """Plan WORDS, ask about the plan, build and review it on a branch, open a pull request.

    A planner reads the project and writes a plan with criteria and checks. You approve it, deny it
    or reply with changes; after 20 minutes without an answer it counts as approved. Your checkout,
    index and HEAD stay as they are, and several tasks can run at once.
    """
    options = WorkflowOptions(**values)
    inputs = _inputs(context, options, words, issue)
    return start_run(context, options, "task", inputs)


def _inputs(
    context: CommandContext, options: WorkflowOptions, words: str, issue: str | None
) -> Mapping[str, str]:
    if bool(words.strip()) == bool(issue):
        raise UsageError(
            "a task needs words or an issue, and not both",
            hint='treadle task "What to do", or treadle task --issue 12',
        )
    if not issue:
        return {"words": words}
    # Imported here, because no other task needs it.
    from treadle.runs.task_issue import read_task_issue

    within = context.in_project(options.project_dir)
    project = context.project(options.project_dir)
    return asyncio.run(read_task_issue(project, within.environment, issue))
