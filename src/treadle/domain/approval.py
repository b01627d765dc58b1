"""Approvals: a question that a run asks a person, and its answer. Both are stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, NewType, Protocol, TypeAlias

from treadle.domain.ids import RunId

ApprovalId = NewType("ApprovalId", str)

# What is asked about; new workflows may add kinds.
ApprovalKind = Literal["landing", "plan", "gate", "failing_tests", "question"]
AnswerVerdict = Literal["approved", "denied", "replied"]
AtDeadline = Literal["approve", "deny"]

# 48 bits: short enough to type, and the store checks which run an id belongs to.
ID_DIGITS = 12


@dataclass(frozen=True, slots=True)
class ApprovalQuestion:
    """A question of a workflow, before it is asked."""

    kind: ApprovalKind
    # Its first line asks; more lines say what to know.
    text: str
    subject: str
    subject_hash: str
    # How long to wait for an answer; None: no deadline.
    patience: timedelta | None = None
    at_deadline: AtDeadline = "deny"
    answerers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Approval:
    """One question to a person. The hash binds an answer to the subject as it was asked."""

    id: ApprovalId
    run: RunId
    kind: ApprovalKind
    # Its first line asks; more lines say what to know.
    question: str
    subject: str
    subject_hash: str
    asked_at: datetime
    deadline: datetime | None
    at_deadline: AtDeadline
    # Who may answer; empty: every user of this installation.
    answerers: tuple[str, ...] = ()
    # The step that asks; a question of the same step about another subject voids this one.
    step: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer; the text of a reply says what to change."""

    verdict: AnswerVerdict
    by: str
    at: datetime
    text: str = ""


@dataclass(frozen=True, slots=True)
class LapsedQuestion:
    """The deadline passed without an answer, so `at_deadline` applies."""

    verdict: Literal["approved", "denied"]
    at: datetime


@dataclass(frozen=True, slots=True)
class VoidedQuestion:
    """The subject changed or the run ended, so no answer counts any more."""

    reason: str
    at: datetime


Settlement: TypeAlias = Answer | LapsedQuestion | VoidedQuestion


@dataclass(frozen=True, slots=True)
class ApprovalRecord:
    """A question and how it was settled; None while it is open."""

    approval: Approval
    settled: Settlement | None = None


class ApprovalStore(Protocol):
    """Stores the questions of runs. Every method is idempotent: a question stays as first asked,
    and as first settled."""

    def ask(self, approval: Approval) -> Approval:
        """Store a question and return it as stored; voids open questions of the same step about
        another subject."""
        ...

    def find(self, approval: ApprovalId) -> ApprovalRecord | None:
        """The question and how it was settled."""
        ...

    def list_for_run(self, run: RunId) -> Sequence[ApprovalRecord]:
        """All questions of a run, oldest first."""
        ...

    def lapse(self, approval: ApprovalId, now: datetime) -> ApprovalRecord | None:
        """Settle the question if its deadline has passed; returns its record."""
        ...

    def void_open(self, run: RunId, *, reason: str, now: datetime) -> Sequence[ApprovalRecord]:
        """Void the run's open questions; returns all of its void questions, old ones included."""
        ...


def hash_of(subject: str) -> str:
    """The hash of a subject; one that is a commit has its own."""
    return sha256(subject.encode(errors="replace")).hexdigest()


def make_approval_id(run: RunId, step: str, subject_hash: str) -> ApprovalId:
    """The same for every attempt of a step; another if the subject differs."""
    identity = "\n".join((run, step, subject_hash))
    return ApprovalId(sha256(identity.encode(errors="replace")).hexdigest()[:ID_DIGITS])


def make_approval(question: ApprovalQuestion, *, run: RunId, step: str, now: datetime) -> Approval:
    """The question as asked now."""
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
