"""`treadle ls`: the runs of this project, or of all. Thin: answers from one table."""

import sys
from datetime import UTC, datetime

import click
import orjson

from treadle.cli.context import Given
from treadle.wiring.history import runs_everywhere, runs_of

LISTED = 20


@click.command("ls")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option(
    "-n",
    "limit",
    type=click.IntRange(min=1),
    default=LISTED,
    metavar="N",
    help=f"At most N runs ({LISTED}).",
)
@click.option("--all", "everywhere", is_flag=True, help="Runs of all projects.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.pass_obj
def command(
    given: Given, *, project_dir: str | None, limit: int, everywhere: bool, as_json: bool
) -> None:
    """List runs, newest first."""
    root, project = given.environment.root, given.project(project_dir)
    rows = runs_everywhere(root, limit=limit) if everywhere else runs_of(root, project, limit=limit)
    if as_json:
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2))
        return
    if not rows:
        where = "" if everywhere else f" in {project.name or project}"
        others = "" if everywhere else ", or see those of all projects with `treadle ls --all`"
        click.echo(f"No runs{where} yet: start one with `treadle deliver`{others}.", err=True)
        return
    # Here, because programs that ask for JSON many times should not wait for what draws.
    from treadle.cli.terminal.run_table import run_table, run_table_with_projects
    from treadle.cli.terminal.screen import print_lines, screen_of

    table = run_table_with_projects if everywhere else run_table
    screen = screen_of(sys.stdout, given.environment)
    print_lines(table(rows, datetime.now(UTC)), sys.stdout, screen)
