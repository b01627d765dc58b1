"""An approval as a person and a program see it: state, origin, answers, JSON. Loads no events."""

from dataclasses import asdict
from datetime import datetime, tzinfo
from typing import Any, Literal, assert_never

from treadle.domain.approval import (
    Answer,
    AnswerVerdict,
    Approval,
    ApprovalRecord,
    LapsedQuestion,
    Settlement,
    VoidedQuestion,
)
from treadle.domain.approval_rules import ACCEPTED_VERDICTS
from treadle.domain.ids import short_id
from treadle.views.duration import ago, clock_time, rough_duration
from treadle.views.style import Style

ApprovalState = Literal["open", "answered", "lapsed", "voided"]

ANSWER_COMMANDS: dict[AnswerVerdict, str] = {
    "approved": "approve",
    "denied": "deny",
    "replied": "reply",
}


def approval_document(record: ApprovalRecord) -> dict[str, Any]:
    """The fields of the question, its state, and how it was settled (null while it is open)."""
    return {
        **asdict(record.approval),
        "state": approval_state(record.settled),
        "settled": record.settled,
    }


def approval_state(settled: Settlement | None) -> ApprovalState:
    match settled:
        case None:
            return "open"
        case Answer():
            return "answered"
        case LapsedQuestion():
            return "lapsed"
        case VoidedQuestion():
            return "voided"
        case _:
            assert_never(settled)


def settlement_text(settled: Settlement | None) -> tuple[str, Style]:
    """`open`, `approved by ada`, `denied at the deadline`, `void: the run ended`."""
    match settled:
        case None:
            return "open", "phase"
        case Answer(verdict=verdict, by=by):
            return f"{verdict} by {by}", "good" if verdict == "approved" else "warning"
        case LapsedQuestion(verdict=verdict):
            return f"{verdict} at the deadline", "warning"
        case VoidedQuestion(reason=reason):
            return f"void: {reason}", "warning"
        case _:
            assert_never(settled)


def reply_text(settled: Settlement | None) -> str:
    """What a person wrote with an answer, with their name; empty if nothing."""
    if not isinstance(settled, Answer) or not settled.text:
        return ""
    return f"{settled.by}: {settled.text}"


def kind_text(approval: Approval) -> str:
    return approval.kind.replace("_", " ")


def origin_text(record: ApprovalRecord, *, now: datetime, zone: tzinfo | None) -> str:
    """Which run asks, since when, until when, and whom."""
    approval = record.approval
    parts = [
        f"{kind_text(approval)} of run {short_id(approval.run)}",
        f"asked {ago(approval.asked_at, now)}",
    ]
    if approval.deadline is not None and record.settled is None:
        parts.append(deadline_text(approval, now=now, zone=zone))
    if approval.answerers:
        parts.append(f"for {', '.join(approval.answerers)}")
    return " · ".join(parts)


def deadline_text(approval: Approval, *, now: datetime, zone: tzinfo | None) -> str:
    """`denied in 19m, at 18:30`; empty without a deadline."""
    if approval.deadline is None:
        return ""
    then = "approved" if approval.at_deadline == "approve" else "denied"
    left = rough_duration((approval.deadline - now).total_seconds())
    return f"{then} in {left}, at {clock_time(approval.deadline, now=now, zone=zone)}"


def question_parts(approval: Approval) -> tuple[str, str]:
    """The question, and what to know besides its subject."""
    asked, _, remarks = approval.question.partition("\n")
    return asked, remarks


def answer_commands(approval: Approval) -> tuple[str, ...]:
    """The commands that answer it, for the verdicts that a question of its kind accepts."""
    return tuple(
        f"treadle {command} {approval.id}" + (' "what to change"' if verdict == "replied" else "")
        for verdict, command in ANSWER_COMMANDS.items()
        if verdict in ACCEPTED_VERDICTS[approval.kind]
    )
