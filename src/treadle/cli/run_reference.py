"""The RUN argument of commands, and the project whose last run `last` is."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.runs.find import find_run

Command = Callable[..., Any]

RUN = click.argument("run", default="last")
PROJECT = click.option(
    "-p", "--project-dir", metavar="DIR", help="The project of `last` (default: this one)."
)
EVERYWHERE = click.option("--all", "everywhere", is_flag=True, help="`last` of all projects.")


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
