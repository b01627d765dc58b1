"""Approvals for the terminal: one in full, or many as a table. Loads no events."""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, paragraph
from treadle.cli.terminal.table import align_columns
from treadle.domain.approval import (
    Answer,
    AnswerVerdict,
    Approval,
    ApprovalRecord,
    LapsedQuestion,
    VoidedQuestion,
)
from treadle.domain.approval_rules import ACCEPTED_VERDICTS
from treadle.domain.ids import short_id
from treadle.views.duration import ago, clock_time

TITLES = ("ID", "ASKED", "RUN", "KIND", "STATE", "QUESTION")
LISTED_LINES = 12
# More than any subject has: whoever decides can see all of it.
ALL_LINES = 1_000_000
ANSWER_COMMANDS: dict[AnswerVerdict, str] = {
    "approved": "approve",
    "denied": "deny",
    "replied": "reply",
}


def open_approvals_block(
    standings: Sequence[ApprovalRecord], now: datetime, view: RenderOptions
) -> list[Line]:
    """What waits for an answer, each with as much of its subject as a list has room for."""
    blocks = [question_block(each, now, view, most=LISTED_LINES) for each in standings]
    return [line for block in blocks for line in (*block, ())][:-1]


def question_block(
    standing: ApprovalRecord, now: datetime, view: RenderOptions, *, most: int = ALL_LINES
) -> list[Line]:
    """The question, where it comes from, its subject, and how to answer or how it was settled."""
    approval = standing.approval
    subject = paragraph(approval.subject, style="plain", view=view, most=most, indent="    ")
    return [
        ((f"{approval.id}  ", "strong"), (approval.question, "plain")),
        ((f"  {_origin_text(approval, now, view)}", "quiet"),),
        *subject,
        *([_full_text_hint(approval)] if len(subject) > most else []),
        *_answer_lines(standing, view),
        _next_line(standing),
    ]


def settled_block(standing: ApprovalRecord, view: RenderOptions) -> list[Line]:
    """What an answer has settled."""
    approval = standing.approval
    words, style = _state(standing)
    head: Line = ((f"{approval.id} {words}", style), (f": {approval.question}", "plain"))
    subject = paragraph(approval.subject, style="quiet", view=view, most=LISTED_LINES)
    return [head, *subject, *_answer_lines(standing, view)]


def question_table(standings: Sequence[ApprovalRecord], now: datetime) -> list[Line]:
    """A heading and one line per question."""
    heading: list[Span] = [(title, "quiet") for title in TITLES]
    return align_columns([heading, *(_cells(each, now) for each in standings)])


def _cells(standing: ApprovalRecord, now: datetime) -> list[Span]:
    approval = standing.approval
    return [
        (approval.id, "strong"),
        (ago(approval.asked_at, now), "quiet"),
        (short_id(approval.run), "plain"),
        (_kind(approval), "plain"),
        _state(standing),
        (approval.question, "plain"),
    ]


def _origin_text(approval: Approval, now: datetime, view: RenderOptions) -> str:
    parts = [
        f"{_kind(approval)} of run {short_id(approval.run)}",
        f"asked {ago(approval.asked_at, now)}",
    ]
    if approval.deadline is not None:
        then = "approved" if approval.at_deadline == "approve" else "denied"
        when = clock_time(approval.deadline, now=now, zone=view.zone)
        parts.append(f"until {when}, then {then}")
    if approval.answerers:
        parts.append(f"for {', '.join(approval.answerers)}")
    return " · ".join(parts)


def _full_text_hint(approval: Approval) -> Line:
    return ((f"    all of it: treadle approvals {approval.id}", "warning"),)


def _next_line(standing: ApprovalRecord) -> Line:
    if standing.settled is not None:
        words, style = _state(standing)
        return ((f"  {words}", style),)
    approval = standing.approval
    ways = [
        ANSWER_COMMANDS[verdict]
        for verdict in ANSWER_COMMANDS
        if verdict in ACCEPTED_VERDICTS[approval.kind]
    ]
    said = " · ".join(f"treadle {way} {approval.id}" for way in ways)
    return ((f"  {said}", "quiet"),)


def _answer_lines(standing: ApprovalRecord, view: RenderOptions) -> list[Line]:
    """What a person said with a no or a reply."""
    settled = standing.settled
    if not isinstance(settled, Answer) or not settled.text:
        return []
    return paragraph(f"{settled.by}: {settled.text}", style="signal", view=view, most=LISTED_LINES)


def _state(standing: ApprovalRecord) -> tuple[str, Style]:
    match standing.settled:
        case None:
            return "open", "phase"
        case Answer(verdict=verdict, by=by):
            return f"{verdict} by {by}", "good" if verdict == "approved" else "warning"
        case LapsedQuestion(verdict=verdict):
            return f"{verdict} at the deadline", "warning"
        case VoidedQuestion(reason=reason):
            return f"void: {reason}", "warning"
        case unreachable:
            assert_never(unreachable)


def _kind(approval: Approval) -> str:
    return approval.kind.replace("_", " ")
