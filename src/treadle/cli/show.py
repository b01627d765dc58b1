"""`treadle show`: everything about one run, and what to do next."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import click
import orjson

from treadle.cli.context import CommandContext
from treadle.cli.run_reference import run_argument
from treadle.cli.terminal.run_details_lines import run_details_lines
from treadle.cli.terminal.screen import detect_screen, print_lines
from treadle.domain.run_row import RunRow, StepRow
from treadle.runs.find import open_logs, steps_of
from treadle.views.run_details import RunDetails, collect_run_details


@click.command("show")
@run_argument
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(given: CommandContext, row: RunRow, *, as_json: bool) -> None:
    """Show everything about RUN: an id, any unique end of one, or `last`."""
    with open_logs(given.environment.storage) as logs:
        account = collect_run_details(logs.outline(row.id))
    steps = steps_of(given.environment.storage, row.id)
    if as_json:
        click.echo(_json(row, account, steps))
        return
    screen = detect_screen(sys.stdout, given.environment)
    view = screen.render_options(sys.stdout)
    lines = run_details_lines(row, account, steps, now=datetime.now(UTC), view=view)
    print_lines(lines, sys.stdout, screen)


def _json(row: RunRow, account: RunDetails, steps: Sequence[StepRow]) -> bytes:
    story = account.state
    document = {
        "run": row,
        "started": story.started,
        "result": story.result,
        "touched": story.verified.touched,
        "deliverables": story.deliverables,
        "checks": account.checks,
        "rounds": account.rounds,
        "tests": story.verified.suite,
        "spec_issue": story.spec_issue or None,
        "backlog": story.backlog,
        "sessions": account.sessions,
        "steps": steps,
        "signals": account.signals,
        "denials": account.denials,
        "failures": account.failures,
        "pauses": account.pauses,
        "warnings": account.warnings,
        "landed": story.landed,
        "kept": story.kept,
        "last_seq": account.last_seq,
        "last_at": account.last_at,
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)
