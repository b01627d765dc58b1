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
@click.argument("words", metavar="[WORDS]", nargs=-1)
@click.option("--issue", metavar="URL|#N", help="Use an issue of the project as the task.")
@click.option(
    "--follow/--no-follow",
    default=None,
    help="Work on failing CI and review comments of the pull request, in the background.",
)
@workflow_options
@click.pass_obj
def command(
    context: CommandContext,
    /,
    words: tuple[str, ...],
    issue: str | None,
    *,
    follow: bool | None,
    **values: Any,
) -> int:
    """Plan WORDS, ask about the plan, build and review it, open a pull request.

    A planner reads the project and writes a plan with criteria and checks. You approve it, deny it
    or reply with changes. If you do not answer within 20 minutes, it counts as approved. The work
    happens on a separate branch: your checkout does not change, and several tasks can run at once.
    The command ends when the pull request is open. A worker follows the pull request.

    \b
    Examples:
      treadle task "Filter transactions by date"
      treadle task --issue 12
    """
    options = WorkflowOptions(**values)
    inputs = _inputs(context, options, " ".join(words), issue)
    return start_run(context, options, "task", inputs, {"task.follow": follow})


def _inputs(
    context: CommandContext, options: WorkflowOptions, words: str, issue: str | None
) -> Mapping[str, str]:
    hint = 'treadle task "What to do", or treadle task --issue 12'
    if not words.strip() and not issue:
        raise UsageError("say what to do, or name an issue", hint=hint)
    if words.strip() and issue:
        raise UsageError("WORDS and --issue cannot be combined", hint=hint)
    if not issue:
        return {"words": words}
    # Imported here, because no other task needs it.
    from treadle.runs.task_issue import read_task_issue

    within = context.in_project(options.project_dir)
    project = context.project(options.project_dir)
    return asyncio.run(read_task_issue(project, within.environment, issue))
