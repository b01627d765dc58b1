"""`treadle approvals`: what runs wait for a person to say. Thin: answers from one table."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import click

from treadle.cli.approval_json import as_json as written
from treadle.cli.approval_json import document
from treadle.cli.context import Given
from treadle.domain.approval import Standing
from treadle.wiring.approvals import find_question, newest_questions, open_questions

LISTED = 50


@click.command("approvals")
@click.argument("approval", metavar="[ID]", default="")
@click.option(
    "--all", "settled_too", is_flag=True, help=f"Settled ones, too (the newest {LISTED})."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.pass_obj
def command(given: Given, approval: str, *, settled_too: bool, as_json: bool) -> None:
    """List what runs of all projects wait for a person to say, or show ID: the end of one."""
    storage, now = given.in_project(None).environment.storage, datetime.now(UTC)
    if approval:
        standings: Sequence[Standing] = [find_question(storage, approval, now)]
    elif settled_too:
        standings = newest_questions(storage, now, limit=LISTED)
    else:
        standings = open_questions(storage, now)
    if as_json:
        click.echo(written([document(each) for each in standings]))
    elif not standings:
        click.echo("No run has asked anything." if settled_too else _NOTHING_OPEN, err=True)
    else:
        _draw(given, standings, now, in_full=bool(approval), as_rows=settled_too)


_NOTHING_OPEN = "No run waits for an answer. See earlier questions with `treadle approvals --all`."


def _draw(
    given: Given, standings: Sequence[Standing], now: datetime, *, in_full: bool, as_rows: bool
) -> None:
    # Here, because programs that ask for JSON many times should not wait for what draws.
    from treadle.cli.terminal.approval_block import inbox, question_block, question_table
    from treadle.cli.terminal.screen import print_lines, screen_of

    screen = screen_of(sys.stdout, given.environment)
    view = screen.view(sys.stdout)
    if in_full:
        lines = question_block(standings[0], now, view)
    else:
        lines = question_table(standings, now) if as_rows else inbox(standings, now, view)
    print_lines(lines, sys.stdout, screen)
