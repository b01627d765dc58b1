"""`treadle show`: everything about one run, and what to do next."""

import sys
from datetime import UTC, datetime

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
from treadle.runs.find import open_logs, steps_of
from treadle.views.run_details import collect_run_details, last_plan, run_details_document


@click.command("show")
@run_argument
@click.option("--plan", "only_plan", is_flag=True, help="Only the plan that it works on.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(context: CommandContext, row: RunRow, *, only_plan: bool, as_json: bool) -> None:
    """Show everything about RUN: an id, any unique end of one, or `last`."""
    if only_plan:
        _print_plan(context, row)
        return
    with open_logs(context.environment.storage) as logs:
        details = collect_run_details(logs.outline(row.id))
    steps = steps_of(context.environment.storage, row.id)
    if as_json:
        click.echo(encode_json(run_details_document(row, details, steps)))
        return
    screen = detect_screen(sys.stdout, context.environment)
    options = screen.render_options(sys.stdout)
    lines = run_details_lines(row, details, steps, now=datetime.now(UTC), options=options)
    print_lines(lines, sys.stdout, screen)


def _print_plan(context: CommandContext, row: RunRow) -> None:
    with open_logs(context.environment.storage) as logs:
        plan = last_plan(logs.read(row.id, types=("plan.written",)))
    if plan is None:
        raise UsageError(
            f"run {short_id(row.id)} has no plan", hint="`treadle show` lists its deliverables"
        )
    screen = detect_screen(sys.stdout, context.environment)
    options = screen.render_options(sys.stdout)
    lines = paragraph(plan, style="plain", options=options, most=ALL_LINES, indent="")
    print_lines(lines, sys.stdout, screen)
