"""`treadle show`: everything about one run, and what to do next."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import click
import orjson

from treadle.cli.context import Given
from treadle.cli.run_reference import names_a_run
from treadle.cli.terminal.account import Account, account_of
from treadle.cli.terminal.account_lines import account_lines
from treadle.cli.terminal.screen import print_lines, screen_of
from treadle.domain.run_row import RunRow
from treadle.domain.step_taken import StepTaken
from treadle.wiring.history import open_logs
from treadle.wiring.steps_taken import steps_of


@click.command("show")
@names_a_run
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(given: Given, row: RunRow, *, as_json: bool) -> None:
    """Show everything about RUN: an id, any unique end of one, or `last`."""
    with open_logs(given.environment.storage) as logs:
        account = account_of(logs.outline(row.id))
    steps = steps_of(given.environment.storage, row.id)
    if as_json:
        click.echo(_json(row, account, steps))
        return
    screen = screen_of(sys.stdout, given.environment)
    view = screen.view(sys.stdout)
    lines = account_lines(row, account, steps, now=datetime.now(UTC), view=view)
    print_lines(lines, sys.stdout, screen)


def _json(row: RunRow, account: Account, steps: Sequence[StepTaken]) -> bytes:
    story = account.story
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
