"""The RUN argument of commands, and the project whose last run `last` is."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from click.shell_completion import CompletionItem

from treadle.cli.context import CommandContext
from treadle.domain.errors import TreadleError
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunFilter
from treadle.runs.find import find_run, list_project_runs

Command = Callable[..., Any]

MOST_COMPLETIONS = 50


def complete_runs(
    click_context: click.Context, _: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The newest runs of the project, for the shell's completion; none if they cannot be read."""
    context = click_context.find_object(CommandContext)
    if context is None:
        return []
    try:
        project = context.project(click_context.params.get("project_dir"))
        storage = context.in_project(None).environment.storage
        rows = list_project_runs(storage, project, RunFilter(limit=MOST_COMPLETIONS))
    except TreadleError:
        return []
    items = [
        ("last", "the newest run"),
        *((short_id(row.id), f"{row.workflow}, {row.state}") for row in rows),
    ]
    return [CompletionItem(name, help=text) for name, text in items if name.startswith(incomplete)]


LAST = "last"
RUN = click.argument("run", default=LAST, shell_complete=complete_runs)
PROJECT = click.option(
    "-p",
    "--project-dir",
    metavar="DIR",
    help="The project that `last` refers to (default: this one).",
)
EVERYWHERE = click.option(
    "--all", "everywhere", is_flag=True, help="Let `last` mean the newest run of all projects."
)


def run_argument(command: Command) -> Command:
    """The command takes RUN and is called with its row; `last` may be that of all projects."""
    return RUN(PROJECT(EVERYWHERE(_with_run_row(command))))


def project_run_argument(command: Command) -> Command:
    """The same for commands that change a project: `last` is never a run of another project."""
    return RUN(PROJECT(_with_run_row(command)))


def _with_run_row(command: Command) -> Command:
    @wraps(command)
    def with_row(
        *, run: str, project_dir: str | None, everywhere: bool = False, **values: Any
    ) -> object:
        click_context = click.get_current_context()
        context: CommandContext = click_context.obj.in_project(project_dir)
        click_context.obj = context
        directory = None if everywhere else context.directory(project_dir)
        row = find_run(context.environment.storage, run, directory=directory)
        return command(row, **values)

    return with_row


def is_last() -> bool:
    """Whether RUN is `last`, or was left out."""
    return click.get_current_context().params.get("run") == LAST
