"""`treadle deliver`: takes SPEC.md to finished, committed work."""

from collections.abc import Mapping
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_display import has_terminal
from treadle.cli.run_options import WorkflowOptions, workflow_options
from treadle.cli.start import start_run
from treadle.domain.errors import UsageError
from treadle.runs.request import LARGE_SPECIFICATION
from treadle.settings.load import load_settings


@click.command("deliver")
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
@workflow_options
@click.pass_obj
def command(context: CommandContext, /, file: str | None, **values: Any) -> int:
    """Build what FILE asks for, and check it. The default is SPEC.md.

    The first session splits the specification into deliverables. Each later session starts fresh
    and builds. The work happens in a separate clone and comes back as a branch. If everything
    passes and your checkout has not changed, it is fast-forwarded.

    \b
    Examples:
      treadle deliver
      treadle deliver docs/search.md --max-cost 5
      treadle deliver --detach
    """
    options = WorkflowOptions(**values)
    flags = {"project.spec": _path_in_project(context, options, file)} if file else {}
    _confirm_long(context, options, flags)
    return start_run(context, options, "deliver", flags=flags)


def _path_in_project(context: CommandContext, options: WorkflowOptions, file: str) -> str:
    project, path = context.project(options.project_dir), context.path(file)
    try:
        return str(path.resolve().relative_to(project))
    except ValueError:
        raise UsageError(
            f"{file} is not in the project {project}", hint="copy the specification into it"
        ) from None


def _confirm_long(
    context: CommandContext, options: WorkflowOptions, flags: Mapping[str, str]
) -> None:
    """Ask about a specification that makes every session expensive; without a terminal, the run
    warns."""
    if options.detach or options.json or not has_terminal():
        return
    project = context.project(options.project_dir)
    name = (
        flags.get("project.spec")
        or load_settings(project, environment=context.environment.raw).settings.project.spec
    )
    try:
        size = (project / name).stat().st_size
    except OSError:
        return
    if size > LARGE_SPECIFICATION:
        click.confirm(
            f"{name} has {size:,} bytes, and every session reads all of it. Continue?",
            abort=True,
            err=True,
        )
