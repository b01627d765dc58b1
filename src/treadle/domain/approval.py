"""A question to a person that a run waits for, and its answer: both outlive every process."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, NewType, Protocol, TypeAlias

from treadle.domain.ids import RunId

ApprovalId = NewType("ApprovalId", str)

# What is asked about; later workflows add to it.
ApprovalKind = Literal["landing", "plan", "gate", "failing_tests", "question"]
AnswerVerdict = Literal["approved", "denied", "replied"]
AtDeadline = Literal["approve", "deny"]

# 48 bits: enough for a store that checks whose question it finds, and short enough to be typed.
ID_DIGITS = 12


@dataclass(frozen=True, slots=True)
class ApprovalQuestion:
    """What a workflow wants to know, before there is a moment at which it was asked."""

    kind: ApprovalKind
    text: str
    subject: str
    subject_hash: str
    # How long an answer is waited for; None: as long as it takes.
    patience: timedelta | None = None
    at_deadline: AtDeadline = "deny"
    answerers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Approval:
    """One open question. The hash binds an answer to the subject as it was when it was asked."""

    id: ApprovalId
    run: RunId
    kind: ApprovalKind
    question: str
    subject: str
    subject_hash: str
    asked_at: datetime
    deadline: datetime | None
    at_deadline: AtDeadline
    # Who may answer; empty: whoever can use this installation.
    answerers: tuple[str, ...] = ()
    # The step that asks: another subject there voids this question.
    step: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's word; `text` says what a reply wants changed."""

    verdict: AnswerVerdict
    by: str
    at: datetime
    text: str = ""


@dataclass(frozen=True, slots=True)
class LapsedQuestion:
    """Nobody answered in time, so what was said at the start happens."""

    verdict: Literal["approved", "denied"]
    at: datetime


@dataclass(frozen=True, slots=True)
class VoidedQuestion:
    """The subject changed, or the run ended: no answer counts any more."""

    reason: str
    at: datetime


Settlement: TypeAlias = Answer | LapsedQuestion | VoidedQuestion


@dataclass(frozen=True, slots=True)
class ApprovalRecord:
    """A question and how it was settled; None while it is open."""

    approval: Approval
    settled: Settlement | None = None


class ApprovalStore(Protocol):
    """Where a run lays its questions down. Every method may be called twice for the same thing:
    what was asked stays as first asked, what was settled stays as first settled."""

    def ask(self, approval: Approval) -> Approval:
        """The question as it is kept. Open ones of the same step about another subject are void
        from now on."""
        ...

    def find(self, approval: ApprovalId) -> ApprovalRecord | None:
        """How this question stands."""
        ...

    def list_for_run(self, run: RunId) -> Sequence[ApprovalRecord]:
        """All questions of a run, oldest first."""
        ...

    def lapse(self, approval: ApprovalId, now: datetime) -> ApprovalRecord | None:
        """How the question stands once its deadline, if that has passed, is taken into account."""
        ...

    def void_open(self, run: RunId, *, reason: str, now: datetime) -> Sequence[ApprovalRecord]:
        """Close what the run still asks; all of its void questions, those of before included."""
        ...


def hash_of(subject: str) -> str:
    """The hash of a subject that has none of its own; a commit does."""
    return sha256(subject.encode(errors="replace")).hexdigest()


def make_approval_id(run: RunId, step: str, subject_hash: str) -> ApprovalId:
    """The same for every attempt at the same step, and another as soon as the subject differs."""
    told = "\n".join((run, step, subject_hash))
    return ApprovalId(sha256(told.encode(errors="replace")).hexdigest()[:ID_DIGITS])


def make_approval(question: ApprovalQuestion, *, run: RunId, step: str, now: datetime) -> Approval:
    """The question as it is put at this moment."""
    return Approval(
        id=make_approval_id(run, step, question.subject_hash),
        run=run,
        kind=question.kind,
        question=question.text,
        subject=question.subject,
        subject_hash=question.subject_hash,
        asked_at=now,
        deadline=None if question.patience is None else now + question.patience,
        at_deadline=question.at_deadline,
        answerers=question.answerers,
        step=step,
    )
