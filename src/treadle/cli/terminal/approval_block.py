"""Questions as a person reads them: one in full, or many as rows. Thin: loads no events."""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from treadle.cli.terminal.duration import ago, clock_time
from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.table import aligned
from treadle.cli.terminal.view import Line, Span, View, paragraph
from treadle.domain.approval import Answer, Approval, Lapsed, Standing, Verdict, Voided
from treadle.domain.approval_rules import TAKEN
from treadle.domain.ids import short

TITLES = ("ID", "ASKED", "RUN", "KIND", "STATE", "QUESTION")
IN_A_LIST = 12
# More than any subject has: whoever decides can see all of it.
IN_FULL = 1_000_000
COMMANDS: dict[Verdict, str] = {"approved": "approve", "denied": "deny", "replied": "reply"}


def inbox(standings: Sequence[Standing], now: datetime, view: View) -> list[Line]:
    """What waits for an answer, each with as much of its subject as a list has room for."""
    blocks = [question_block(each, now, view, most=IN_A_LIST) for each in standings]
    return [line for block in blocks for line in (*block, ())][:-1]


def question_block(
    standing: Standing, now: datetime, view: View, *, most: int = IN_FULL
) -> list[Line]:
    """The question, where it comes from, its subject, and how to answer or how it was settled."""
    approval = standing.approval
    subject = paragraph(approval.subject, style="plain", view=view, most=most, indent="    ")
    return [
        ((f"{approval.id}  ", "strong"), (approval.question, "plain")),
        ((f"  {_circumstances(approval, now, view)}", "quiet"),),
        *subject,
        *([_how_to_see_all(approval)] if len(subject) > most else []),
        *_words(standing, view),
        _what_next(standing),
    ]


def settled_block(standing: Standing, view: View) -> list[Line]:
    """What an answer has settled."""
    approval = standing.approval
    words, style = _state(standing)
    head: Line = ((f"{approval.id} {words}", style), (f": {approval.question}", "plain"))
    subject = paragraph(approval.subject, style="quiet", view=view, most=IN_A_LIST)
    return [head, *subject, *_words(standing, view)]


def question_table(standings: Sequence[Standing], now: datetime) -> list[Line]:
    """A heading and one line per question."""
    heading: list[Span] = [(title, "quiet") for title in TITLES]
    return aligned([heading, *(_cells(each, now) for each in standings)])


def _cells(standing: Standing, now: datetime) -> list[Span]:
    approval = standing.approval
    return [
        (approval.id, "strong"),
        (ago(approval.asked_at, now), "quiet"),
        (short(approval.run), "plain"),
        (_kind(approval), "plain"),
        _state(standing),
        (approval.question, "plain"),
    ]


def _circumstances(approval: Approval, now: datetime, view: View) -> str:
    parts = [
        f"{_kind(approval)} of run {short(approval.run)}",
        f"asked {ago(approval.asked_at, now)}",
    ]
    if approval.deadline is not None:
        then = "approved" if approval.at_deadline == "approve" else "denied"
        when = clock_time(approval.deadline, now=now, zone=view.zone)
        parts.append(f"until {when}, then {then}")
    if approval.answerers:
        parts.append(f"for {', '.join(approval.answerers)}")
    return " · ".join(parts)


def _how_to_see_all(approval: Approval) -> Line:
    return ((f"    all of it: treadle approvals {approval.id}", "warning"),)


def _what_next(standing: Standing) -> Line:
    if standing.settled is not None:
        words, style = _state(standing)
        return ((f"  {words}", style),)
    approval = standing.approval
    ways = [COMMANDS[verdict] for verdict in COMMANDS if verdict in TAKEN[approval.kind]]
    said = " · ".join(f"treadle {way} {approval.id}" for way in ways)
    return ((f"  {said}", "quiet"),)


def _words(standing: Standing, view: View) -> list[Line]:
    """What a person said with a no or a reply."""
    settled = standing.settled
    if not isinstance(settled, Answer) or not settled.text:
        return []
    return paragraph(f"{settled.by}: {settled.text}", style="signal", view=view, most=IN_A_LIST)


def _state(standing: Standing) -> tuple[str, Style]:
    match standing.settled:
        case None:
            return "open", "phase"
        case Answer(verdict=verdict, by=by):
            return f"{verdict} by {by}", "good" if verdict == "approved" else "warning"
        case Lapsed(verdict=verdict):
            return f"{verdict} at the deadline", "warning"
        case Voided(reason=reason):
            return f"void: {reason}", "warning"
        case unreachable:
            assert_never(unreachable)


def _kind(approval: Approval) -> str:
    return approval.kind.replace("_", " ")
