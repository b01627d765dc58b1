"""`treadle approvals`: lists the questions that wait for an answer. Loads no events."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import click

from treadle.cli.context import CommandContext
from treadle.domain.approval import ApprovalRecord
from treadle.runs.approvals import find_question, newest_questions, open_questions
from treadle.views.approval_json import approval_document
from treadle.views.approval_json import encode_json as written

LISTED = 50


@click.command("approvals")
@click.argument("approval", metavar="[ID]", default="")
@click.option(
    "--all", "settled_too", is_flag=True, help=f"Settled ones, too (the newest {LISTED})."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.pass_obj
def command(given: CommandContext, approval: str, *, settled_too: bool, as_json: bool) -> None:
    """List what runs of all projects wait for a person to say, or show ID: the end of one."""
    storage, now = given.in_project(None).environment.storage, datetime.now(UTC)
    if approval:
        standings: Sequence[ApprovalRecord] = [find_question(storage, approval, now)]
    elif settled_too:
        standings = newest_questions(storage, now, limit=LISTED)
    else:
        standings = open_questions(storage, now)
    if as_json:
        click.echo(written([approval_document(each) for each in standings]))
    elif not standings:
        click.echo("No run has asked anything." if settled_too else _NOTHING_OPEN, err=True)
    else:
        _draw(given, standings, now, in_full=bool(approval), as_rows=settled_too)


_NOTHING_OPEN = "No run waits for an answer. See earlier questions with `treadle approvals --all`."


def _draw(
    given: CommandContext,
    standings: Sequence[ApprovalRecord],
    now: datetime,
    *,
    in_full: bool,
    as_rows: bool,
) -> None:
    # Here, because programs that ask for JSON many times should not wait for what draws.
    from treadle.cli.terminal.approval_block import (
        open_approvals_block,
        question_block,
        question_table,
    )
    from treadle.cli.terminal.screen import detect_screen, print_lines

    screen = detect_screen(sys.stdout, given.environment)
    view = screen.render_options(sys.stdout)
    if in_full:
        lines = question_block(standings[0], now, view)
    else:
        lines = (
            question_table(standings, now)
            if as_rows
            else open_approvals_block(standings, now, view)
        )
    print_lines(lines, sys.stdout, screen)
