"""`treadle show`: everything about one run, and what to do next."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.cli.run_reference import run_argument
from treadle.cli.terminal.approval_block import ALL_LINES
from treadle.cli.terminal.run_details_lines import run_details_lines
from treadle.cli.terminal.screen import detect_screen, print_lines
from treadle.cli.terminal.styled_lines import paragraph
from treadle.domain.errors import UsageError
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.runs.approvals import questions_of
from treadle.runs.find import open_logs, past_efforts_of, session_logs_of, steps_of
from treadle.views.auto_session import auto_summary_document, queue_status_document
from treadle.views.run_details import (
    RunDetails,
    collect_run_details,
    run_details_document,
)
from treadle.views.run_plan import plan_document, plan_notes, plan_of_run
from treadle.views.run_row_text import run_time_s
from treadle.views.workflow_labels import is_queue_of_increments

_NO_PLAN = "`treadle show` lists its deliverables"


@click.command("show")
@run_argument
@click.option(
    "--plan", "only_plan", is_flag=True, help="Show only its plan, and what was decided about it."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(context: CommandContext, row: RunRow, *, only_plan: bool, as_json: bool) -> None:
    """Show everything about RUN: an id, its beginning or end, or `last`.

    \b
    Examples:
      treadle show
      treadle show last --json | jq .result
      treadle show last --plan
    """
    with open_logs(context.environment.storage) as logs:
        details = collect_run_details(logs.outline(row.id))
    if only_plan:
        _print_plan(context, row, details, as_json=as_json)
        return
    steps = steps_of(context.environment.storage, row.id)
    if as_json:
        document = run_details_document(row, details, steps)
        click.echo(encode_json(document | _increments_document(context, row)))
        return
    screen = detect_screen(sys.stdout, context.environment)
    options = screen.render_options(sys.stdout)
    lines = run_details_lines(
        row,
        details,
        steps,
        now=datetime.now(UTC),
        options=options,
        session_logs=_from_home(
            session_logs_of(context.environment.storage, row.id), context.environment.home
        ),
    )
    print_lines(lines, sys.stdout, screen)


def _from_home(folder: str, home: Path) -> str:
    """The path as a shell takes it, short enough for a line."""
    return f"~{folder.removeprefix(str(home))}" if folder.startswith(f"{home}/") else folder


def _increments_document(context: CommandContext, row: RunRow) -> dict[str, Any]:
    """What only a queue of increments has, with the names of other loops."""
    if not is_queue_of_increments(row.workflow):
        return {}
    # Here, because only such a queue needs its settings and its request.
    from treadle.runs.auto_sessions import read_auto_session

    session = read_auto_session(row, context.environment)
    seconds = run_time_s(row, datetime.now(UTC)) or 0.0
    return {
        "queueStatus": queue_status_document(session),
        "autoSummary": auto_summary_document(session, seconds),
    }


def _print_plan(
    context: CommandContext, row: RunRow, details: RunDetails, *, as_json: bool
) -> None:
    storage, now = context.environment.storage, datetime.now(UTC)
    questions = questions_of(storage, row.id, now)
    plan = plan_of_run(row.id, details, questions, past_efforts_of(storage, row.id))
    if plan is None:
        hint = "its log has been removed" if row.cleaned_at else _NO_PLAN
        raise UsageError(f"run {short_id(row.id)} has no plan", hint=hint)
    if as_json:
        click.echo(encode_json(plan_document(plan)))
        return
    screen = detect_screen(sys.stdout, context.environment)
    options = screen.render_options(sys.stdout)
    notes = plan_notes(plan, now=now, zone=options.zone)
    lines = [
        *paragraph(plan.text, style="plain", options=options, most=ALL_LINES, indent=""),
        (),
        *paragraph(notes, style="phase", options=options, most=ALL_LINES, indent=""),
    ]
    print_lines(lines, sys.stdout, screen)
