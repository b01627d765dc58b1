"""What `approve`, `deny` and `reply` share: the approval's ID, their options, and the answer."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.cli.terminal.approval_block import settled_block
from treadle.cli.terminal.screen import detect_screen, print_lines
from treadle.domain.approval_rules import RejectedAnswer
from treadle.domain.errors import TreadleError, UsageError
from treadle.runs.approvals import AnsweredApproval, ApprovalReply, answer_question
from treadle.settings.user import login_name
from treadle.views.approval_view import approval_document

Command = Callable[..., Any]

APPROVAL = click.argument("approval", metavar="ID")
SUBJECT_HASH = click.option(
    "--subject-hash",
    metavar="HASH",
    help="Answer only if the subject still has this hash (for scripts).",
)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")


def approval_argument(command: Command) -> Command:
    """The command takes ID and the options of all answers."""
    return APPROVAL(SUBJECT_HASH(AS_JSON(command)))


def answer_approval(context: CommandContext, reply: ApprovalReply, *, as_json: bool) -> None:
    """Answer and print the result; an answer that does not count is an error with a hint."""
    _refuse_agents(context)
    storage, now = context.in_project(None).environment.storage, datetime.now(UTC)
    answered = answer_question(storage, reply, by=login_name(), now=now)
    refused = answered.result if isinstance(answered.result, RejectedAnswer) else None
    if as_json:
        click.echo(encode_json({**approval_document(answered.record), "refused": refused}))
    elif refused is None:
        _print_answer(context, answered)
    if refused is not None:
        raise TreadleError(refused.message, hint=refused.hint)


def _refuse_agents(context: CommandContext) -> None:
    """A clear error for an agent; what keeps it away from the store is the sandbox."""
    if context.environment.raw.get("TREADLE_SESSION"):
        raise UsageError(
            "a question to a person cannot be answered inside an agent's session",
            hint="answer it in your own terminal",
        )


def _print_answer(context: CommandContext, answered: AnsweredApproval) -> None:
    screen = detect_screen(sys.stdout, context.environment)
    lines = settled_block(answered.record, screen.render_options(sys.stdout))
    print_lines(lines, sys.stdout, screen)
