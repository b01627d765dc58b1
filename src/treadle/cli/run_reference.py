"""The RUN argument of commands, and the project in which `last` is looked up."""

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
    """The same for what changes a project: there, nobody means the newest run of all by `last`."""
    return RUN(PROJECT(_with_run_row(command)))


def _with_run_row(command: Command) -> Command:
    @wraps(command)
    def found(
        *, run: str, project_dir: str | None, everywhere: bool = False, **values: Any
    ) -> object:
        context = click.get_current_context()
        given: CommandContext = context.obj.in_project(project_dir)
        context.obj = given
        place = None if everywhere else given.directory(project_dir)
        return command(find_run(given.environment.storage, run, standing_in=place), **values)

    return found
