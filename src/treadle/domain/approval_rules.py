"""Which answer to a question counts, and what happens without one. Pure: `now` is passed in."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias, assert_never

from treadle.domain.approval import (
    Answer,
    AnswerVerdict,
    Approval,
    ApprovalKind,
    ApprovalRecord,
    AtDeadline,
    LapsedQuestion,
    Settlement,
    VoidedQuestion,
)

RejectionReason = Literal["void", "settled", "late", "changed", "not_asked", "not_taken"]

# A reply asks for a change, which only some kinds of questions can handle.
ACCEPTED_VERDICTS: dict[ApprovalKind, frozenset[AnswerVerdict]] = {
    "landing": frozenset({"approved", "denied"}),
    "plan": frozenset({"approved", "denied", "replied"}),
    "gate": frozenset({"approved", "denied"}),
    "failing_tests": frozenset({"approved", "denied", "replied"}),
    "question": frozenset({"approved", "denied", "replied"}),
}
_AT_DEADLINE: dict[AtDeadline, Literal["approved", "denied"]] = {
    "approve": "approved",
    "deny": "denied",
}


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """The first valid answer: it settles the question."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class RejectedAnswer:
    """An answer that does not count, with the reason for programs and for people."""

    objection: RejectionReason
    message: str
    hint: str


AnswerResult: TypeAlias = AcceptedAnswer | RejectedAnswer


def find_lapse(approval: Approval, now: datetime) -> LapsedQuestion | None:
    """The settlement by deadline, if it has passed."""
    if approval.deadline is None or now < approval.deadline:
        return None
    return LapsedQuestion(_AT_DEADLINE[approval.at_deadline], approval.deadline)


def as_of(record: ApprovalRecord, now: datetime) -> ApprovalRecord:
    """The record at this moment, even if its run has not noticed the deadline yet."""
    if record.settled is not None:
        return record
    return ApprovalRecord(record.approval, find_lapse(record.approval, now))


def validate_answer(record: ApprovalRecord, answer: Answer, *, subject_hash: str) -> AnswerResult:
    """Whether this answer, given for the subject with this hash, settles the question."""
    approval = record.approval
    settled = as_of(record, answer.at).settled
    if settled is not None:
        return _too_late(approval, settled)
    if subject_hash != approval.subject_hash:
        return RejectedAnswer(
            "changed",
            f"{approval.id} is about another subject: its hash is {approval.subject_hash}",
            "look at it again with `treadle approvals`, then answer",
        )
    if approval.answerers and answer.by not in approval.answerers:
        return RejectedAnswer(
            "not_asked",
            f"{answer.by} may not answer {approval.id}",
            f"it waits for {_join_names(approval.answerers)}",
        )
    return _check_verdict(approval, answer)


def _check_verdict(approval: Approval, answer: Answer) -> AnswerResult:
    accepted = ACCEPTED_VERDICTS[approval.kind]
    if answer.verdict not in accepted:
        kind = approval.kind.replace("_", " ")
        return RejectedAnswer(
            "not_taken",
            f"{approval.id} (a {kind}) cannot be {answer.verdict}",
            "use `treadle approve` or `treadle deny`",
        )
    if answer.verdict == "replied" and not answer.text.strip():
        return RejectedAnswer("not_taken", "the reply is empty", "say what to change")
    return AcceptedAnswer(answer)


def _too_late(approval: Approval, settled: Settlement) -> RejectedAnswer:
    match settled:
        case Answer():
            return RejectedAnswer(
                "settled",
                f"{approval.id} was {settled.verdict} by {settled.by} at {_moment(settled.at)}",
                "the first answer counts",
            )
        case LapsedQuestion():
            return RejectedAnswer(
                "late",
                f"{approval.id} had to be answered by {_moment(settled.at)}",
                f"without an answer it was {settled.verdict}",
            )
        case VoidedQuestion():
            return RejectedAnswer(
                "void",
                f"{approval.id} is void: {settled.reason}",
                "see what is open with `treadle approvals`",
            )
        case _:
            assert_never(settled)


def _join_names(names: tuple[str, ...]) -> str:
    return " or ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} or {names[-1]}"


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
