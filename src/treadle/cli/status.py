"""`treadle status`: this project's deliverables and its live or last run. Loads no events."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.domain.deliverable import Deliverable, tally
from treadle.domain.run_row import RunFilter, RunRow
from treadle.domain.stored_path import stored_path
from treadle.runs.find import deliverables_of, list_project_runs
from treadle.views.tally_text import proof_of

RUNS_CONSIDERED = 50


@click.command("status")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(context: CommandContext, *, project_dir: str | None, as_json: bool) -> None:
    """Show this project's deliverables, and its live run or the last one."""
    context, project = context.in_project(project_dir), context.project(project_dir)
    deliverables = deliverables_of(project)
    run = _live_or_last(
        list_project_runs(context.environment.storage, project, RunFilter(limit=RUNS_CONSIDERED))
    )
    if as_json:
        click.echo(_json(project, deliverables, run))
    else:
        _draw(context, project, deliverables, run)


def _live_or_last(rows: Sequence[RunRow]) -> RunRow | None:
    return next((row for row in rows if row.alive), rows[0] if rows else None)


def _json(project: Path, deliverables: Sequence[Deliverable], run: RunRow | None) -> bytes:
    document = {
        "project": stored_path(project),
        "tally": tally(deliverables),
        "deliverables": [{**asdict(each), "proof": proof_of(each)} for each in deliverables],
        "run": run,
    }
    return encode_json(document)


def _draw(
    context: CommandContext, project: Path, deliverables: Sequence[Deliverable], run: RunRow | None
) -> None:
    # Here, because programs that ask for JSON many times should not wait for what draws.
    from treadle.cli.terminal.run_table import status_block
    from treadle.cli.terminal.screen import detect_screen, print_lines

    screen = detect_screen(sys.stdout, context.environment)
    options = screen.render_options(sys.stdout)
    name = project.name or str(project)
    lines = status_block(name, deliverables, run, now=datetime.now(UTC), options=options)
    print_lines(lines, sys.stdout, screen)
