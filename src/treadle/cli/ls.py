"""`treadle ls`: lists the runs of this project, or of all. Reads the logs of live runs alone."""

import sys
from datetime import UTC, datetime
from typing import Any

import click

from treadle.cli.context import LARGEST_COUNT, CommandContext
from treadle.cli.json_output import encode_json
from treadle.cli.time_options import TimeParamType
from treadle.domain.lifecycle import STATES
from treadle.domain.run_row import RunFilter, RunRow
from treadle.runs.find import list_all_runs, list_project_runs

LISTED = 20


@click.command("ls")
@click.option(
    "-p",
    "--project",
    "--project-dir",
    "project_dir",
    metavar="DIR",
    help="The project (default: this directory).",
)
@click.option("--all", "everywhere", is_flag=True, help="Runs of all projects.")
@click.option(
    "--state",
    "states",
    type=click.Choice([*STATES, "lost"]),
    multiple=True,
    help="Only runs in this state; may be given several times.",
)
@click.option("--workflow", default="", metavar="NAME", help="Only runs of this workflow.")
@click.option(
    "--since",
    type=TimeParamType(),
    metavar="WHEN",
    help="Only runs started since 2026-05-04, or in the last 30m, 12h, 7d or 2w.",
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1, max=LARGEST_COUNT),
    default=LISTED,
    metavar="N",
    help=f"At most N runs ({LISTED}).",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.pass_obj
def command(
    context: CommandContext,
    /,
    *,
    project_dir: str | None,
    everywhere: bool,
    as_json: bool,
    **wanted: Any,
) -> None:
    """List runs, newest first.

    \b
    Examples:
      treadle ls
      treadle ls --all --state waiting --since 7d
    """
    context, project = context.in_project(project_dir), context.project(project_dir)
    storage, chosen = context.environment.storage, RunFilter(**wanted)
    rows = (
        list_all_runs(storage, chosen)
        if everywhere
        else list_project_runs(storage, project, chosen)
    )
    if as_json:
        click.echo(encode_json(rows))
    elif rows:
        _draw(context, rows, everywhere=everywhere)
    elif chosen != RunFilter(limit=chosen.limit):
        click.echo("No runs match.", err=True)
    else:
        where = "" if everywhere else f" in {project.name or project}"
        others = "" if everywhere else ", or see those of all projects with `treadle ls --all`"
        click.echo(f"No runs{where} yet: start one with `treadle deliver`{others}.", err=True)


def _draw(context: CommandContext, rows: list[RunRow], *, everywhere: bool) -> None:
    # Here, because programs that ask for JSON many times should not wait for what draws.
    from treadle.cli.live_times import with_live_times
    from treadle.cli.terminal.run_table import run_table, run_table_with_projects
    from treadle.cli.terminal.screen import detect_screen, print_lines

    table = run_table_with_projects if everywhere else run_table
    screen = detect_screen(sys.stdout, context.environment)
    now = datetime.now(UTC)
    timed = with_live_times(context.environment.storage, rows, now)
    print_lines(table(timed, now), sys.stdout, screen)
