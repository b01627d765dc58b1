"""`treadle report`: what runs did, what waits for a person, what to look at first."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.cli.run_reference import LAST, complete_runs
from treadle.cli.time_options import TimeParamType
from treadle.domain.errors import UsageError
from treadle.domain.run_row import RunFilter, RunRow
from treadle.runs.approvals import open_questions
from treadle.runs.find import (
    find_run,
    list_all_runs,
    list_project_runs,
    open_logs,
    open_rows,
)
from treadle.runs.item_queue import find_queue
from treadle.views.report import Report, ReportedRun, is_in_period, make_report, report_document
from treadle.views.run_details import collect_run_details
from treadle.views.workflow_labels import is_queue
from treadle.workflows.queue.queue_state import read_queue
from treadle.workspace.project_root import find_link, find_project_root

# More runs than a person reads about in a morning.
RUNS_MOST = 1_000
USUAL_PERIOD = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What the report is about, and how it is shown."""

    run: str | None
    since: datetime | None
    project_dir: str | None
    everywhere: bool
    page: str | None
    as_json: bool


@click.command("report")
@click.argument("run", required=False, metavar="[RUN]", shell_complete=complete_runs)
@click.option(
    "--since",
    type=TimeParamType(),
    metavar="WHEN",
    help="Runs active since yesterday, 2026-05-04, or in the last 12h, 7d or 2w (1d).",
)
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option("--all", "everywhere", is_flag=True, help="Runs of all projects.")
@click.option("--html", "page", metavar="FILE", type=click.Path(), help="Write a web page to FILE.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(context: CommandContext, /, **options: Any) -> None:
    """Report on RUN, or on all runs of the last day. After an item of a queue, `last` is the queue.

    \b
    Example:
      treadle report --since yesterday --html report.html
    """
    wanted = ReportOptions(**options)
    if wanted.run and wanted.since:
        raise UsageError("RUN and --since cannot be combined", hint="leave out RUN or --since")
    now = datetime.now(UTC)
    context = context.in_project(wanted.project_dir)
    directory = None if wanted.everywhere else context.project(wanted.project_dir)
    period = None if wanted.run else wanted.since or now - USUAL_PERIOD
    report = _report(context, _rows(context, wanted.run, directory, period), now)
    if wanted.as_json:
        click.echo(encode_json(report_document(report, since=period)))
    elif wanted.page:
        _write_page(report, Path(wanted.page), period, now)
    else:
        _draw(context, report)


def _rows(
    context: CommandContext, run: str | None, directory: Path | None, since: datetime | None
) -> Sequence[RunRow]:
    storage = context.environment.storage
    if since is None:
        row = find_run(storage, run or LAST, directory=directory)
        if run == LAST:
            row = find_queue(storage, row) or row
        return [row, *_item_rows(context, row)]
    every = RunFilter(limit=RUNS_MOST)
    rows = (
        list_all_runs(storage, every)
        if directory is None
        else list_project_runs(storage, directory, every)
    )
    return [row for row in rows if is_in_period(row, since)]


def _item_rows(context: CommandContext, row: RunRow) -> Sequence[RunRow]:
    """The runs of the items of a queue, newest first."""
    if not is_queue(row.workflow):
        return []
    storage = context.environment.storage
    with open_logs(storage) as logs, open_rows(storage) as find:
        runs = [record.started.run for record in read_queue(logs.read(row.id)).records]
        rows = []
        for run in reversed(runs):
            # One that was about to start has no row yet.
            with suppress(UsageError):
                rows.append(find(run))
    return rows


def _report(context: CommandContext, rows: Sequence[RunRow], now: datetime) -> Report:
    storage = context.environment.storage
    if not rows:
        return make_report((), (), now)
    with open_logs(storage) as logs:
        runs = [ReportedRun(row, collect_run_details(logs.outline(row.id))) for row in rows]
    return make_report(runs, open_questions(storage, now), now)


def _write_page(report: Report, file: Path, since: datetime | None, now: datetime) -> None:
    from treadle.cli.report_page import report_page

    project = find_project_root(file.absolute().parent)
    if project is not None and (link := find_link(file, project.resolve())):
        raise UsageError(f"{link} is a symbolic link in the project", hint="name another file")
    try:
        file.write_text(report_page(report, since=since, now=now, zone=None), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {file}: {error.strerror}", hint="name a file in a folder that exists"
        ) from error
    click.echo(f"Wrote {file}.", err=True)


def _draw(context: CommandContext, report: Report) -> None:
    from treadle.cli.terminal.report_lines import report_lines
    from treadle.cli.terminal.screen import detect_screen, print_lines

    screen = detect_screen(sys.stdout, context.environment)
    lines = report_lines(report, screen.render_options(sys.stdout))
    print_lines(lines, sys.stdout, screen)
