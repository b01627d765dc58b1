"""Asks a person whether tests may fail, and turns the answer into a decision. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias, assert_never

from treadle.domain.approval import (
    Answer,
    ApprovalQuestion,
    LapsedQuestion,
    VoidedQuestion,
    hash_of,
)
from treadle.domain.suite_report import SuiteObjection
from treadle.workflows.loop.approval_requests import ApprovalOutcome, NotAnswered

PATIENCE = timedelta(hours=24)
MAX_LINES = 40


@dataclass(frozen=True, slots=True)
class AcceptFailures:
    """A person accepts these objections; `tests` holds their `accepted_as` names."""

    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TryAgain:
    """A person replied how to repair them; or the run stopped before an answer."""

    reply: str = ""


@dataclass(frozen=True, slots=True)
class GiveUpOnTests:
    reason: str


FailingTestsDecision: TypeAlias = AcceptFailures | TryAgain | GiveUpOnTests


def tests_question(objections: Sequence[SuiteObjection], *, rounds: int) -> ApprovalQuestion:
    """The question about these tests; without an answer in time the run ends."""
    lines = [_line(each) for each in objections]
    if len(lines) > MAX_LINES:
        lines = [*lines[: MAX_LINES - 1], f"… {len(lines) - MAX_LINES + 1} more"]
    subject = "\n".join(lines)
    return ApprovalQuestion(
        kind="failing_tests",
        text=f"Tests fail, and {rounds} rounds could not fix them. Accept them as they are?",
        subject=subject,
        subject_hash=hash_of(subject),
        patience=PATIENCE,
        at_deadline="deny",
    )


def decide_failing_tests(
    outcome: ApprovalOutcome, objections: Sequence[SuiteObjection]
) -> FailingTestsDecision:
    match outcome:
        case Answer(verdict="approved") | LapsedQuestion(verdict="approved"):
            return AcceptFailures(tuple(each.accepted_as for each in objections))
        case Answer(verdict="replied", text=text):
            return TryAgain(text)
        case Answer(by=by, text=text):
            return GiveUpOnTests(f"{by} said no: {text}" if text else f"{by} said no")
        case LapsedQuestion():
            return GiveUpOnTests("nobody accepted them in time")
        case VoidedQuestion(reason=reason):
            return GiveUpOnTests(f"the question about them is void: {reason}")
        case NotAnswered():
            return TryAgain()
        case _:
            assert_never(outcome)


_WORDS = {
    "new_failure": "fails now",
    "removed": "is gone",
    "newly_skipped": "is skipped now",
    "coverage": "coverage",
    "broken_run": "shows nothing",
}


def _line(objection: SuiteObjection) -> str:
    line = "" if objection.line is None else f":{objection.line}"
    location = f" ({objection.file}{line})" if objection.file else ""
    description = f"{objection.test} {_WORDS[objection.finding]}{location}".strip()
    return f"{description}: {objection.summary_line}" if objection.summary_line else description
