"""`treadle approvals`: lists the questions that wait for an answer. Loads no events."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.domain.approval import ApprovalRecord
from treadle.runs.approvals import find_question, newest_questions, open_questions
from treadle.views.approval_view import approval_document

LISTED = 50


@click.command("approvals")
@click.argument("approval", metavar="[ID]", default="")
@click.option(
    "--all", "settled_too", is_flag=True, help=f"Include settled questions (the newest {LISTED})."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.pass_obj
def command(context: CommandContext, approval: str, *, settled_too: bool, as_json: bool) -> None:
    """List the open questions of all projects, or show question ID.

    \b
    Examples:
      treadle approvals
      treadle approvals 3f9c
    """
    storage, now = context.in_project(None).environment.storage, datetime.now(UTC)
    if approval:
        records: Sequence[ApprovalRecord] = [find_question(storage, approval, now)]
    elif settled_too:
        records = newest_questions(storage, now, limit=LISTED)
    else:
        records = open_questions(storage, now)
    if as_json:
        click.echo(encode_json([approval_document(each) for each in records]))
    elif not records:
        click.echo("No run has asked a question." if settled_too else _NOTHING_OPEN, err=True)
    else:
        _draw(context, records, now, in_full=bool(approval), as_rows=settled_too)


_NOTHING_OPEN = "No run waits for an answer. See earlier questions with `treadle approvals --all`."


def _draw(
    context: CommandContext,
    records: Sequence[ApprovalRecord],
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

    screen = detect_screen(sys.stdout, context.environment)
    options = screen.render_options(sys.stdout)
    if in_full:
        lines = question_block(records[0], now, options)
    else:
        lines = (
            question_table(records, now) if as_rows else open_approvals_block(records, now, options)
        )
    print_lines(lines, sys.stdout, screen)
