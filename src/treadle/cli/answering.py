"""What `approve`, `deny` and `reply` share: how a question is named, and what an answer shows."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import click

from treadle.cli.approval_json import as_json as written
from treadle.cli.approval_json import document
from treadle.cli.context import Given
from treadle.cli.terminal.approval_block import settled_block
from treadle.cli.terminal.screen import print_lines, screen_of
from treadle.domain.approval_rules import Refused
from treadle.domain.errors import TreadleError, UsageError
from treadle.settings.person import login_name
from treadle.wiring.approvals import Answered, Reply, answer_question

Command = Callable[..., Any]

APPROVAL = click.argument("approval", metavar="ID")
SUBJECT_HASH = click.option(
    "--subject-hash",
    metavar="HASH",
    help="Answer only if the subject still has this hash (for scripts).",
)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")


def names_a_question(command: Command) -> Command:
    """The command takes ID and the options of all answers."""
    return APPROVAL(SUBJECT_HASH(AS_JSON(command)))


def give(given: Given, reply: Reply, *, as_json: bool) -> None:
    """Answer, and show what was answered; an answer that does not count is an error in words."""
    _refuse_agents(given)
    storage, now = given.in_project(None).environment.storage, datetime.now(UTC)
    answered = answer_question(storage, reply, by=login_name(), now=now)
    refused = answered.judgement if isinstance(answered.judgement, Refused) else None
    if as_json:
        click.echo(written({**document(answered.standing), "refused": refused}))
    elif refused is None:
        _show(given, answered)
    if refused is not None:
        raise TreadleError(refused.message, hint=refused.hint)


def _refuse_agents(given: Given) -> None:
    """The sandbox keeps agents away from here; this is for those that mean no harm."""
    if given.environment.raw.get("TREADLE_SESSION"):
        raise UsageError(
            "a question to a person cannot be answered inside an agent's session",
            hint="answer it in a terminal of your own",
        )


def _show(given: Given, answered: Answered) -> None:
    screen = screen_of(sys.stdout, given.environment)
    lines = settled_block(answered.standing, screen.view(sys.stdout))
    print_lines(lines, sys.stdout, screen)
