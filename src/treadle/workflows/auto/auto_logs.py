"""The log files of a queue of increments in the form of other loops: a line for each iteration,
gate, test run and circuit breaker. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
    BreakerClosed,
    BreakerOpened,
)
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.verification import SuiteFinished

AutoLogName = Literal["iterations", "gates", "tests", "circuit-breakers"]
_GATES = ApprovalAsked | ApprovalAnswered | ApprovalLapsed | ApprovalVoided


@dataclass(frozen=True, slots=True)
class AutoLogState:
    """What the lines of one increment are counted and named by."""

    increment: str
    # Of the increments before this one.
    iterations_before: int
    # The first lines of the questions that were asked, by their ids.
    questions: tuple[tuple[str, str], ...] = ()


def file_name(log: AutoLogName) -> str:
    return f"auto-{log}.log"


def with_question(state: AutoLogState, recorded: RecordedEvent) -> AutoLogState:
    """The state after the event: an answer names its question by the id alone."""
    if not isinstance(recorded.event, ApprovalAsked):
        return state
    approval = recorded.event.approval
    first = approval.question.partition("\n")[0]
    return replace(state, questions=(*state.questions, (str(approval.id), first)))


def auto_log_lines(
    state: AutoLogState, recorded: RecordedEvent
) -> Iterator[tuple[AutoLogName, str]]:
    """The file and the line of an event; none for most."""
    event, at = recorded.event, f"{recorded.at:[%Y-%m-%dT%H:%M:%SZ]}"
    match event:
        case RoundStarted():
            number = state.iterations_before + event.number
            text = f"Iteration {number} started: {event.instruction} of {state.increment}"
            yield "iterations", f"{at} {text}"
        case event if isinstance(event, _GATES):
            yield "gates", f"{at} {_gate_text(state, event)}"
        case SuiteFinished():
            yield "tests", f"{at} {_tests_text(event)} in {state.increment}"
        case BreakerOpened():
            yield "circuit-breakers", f"{at} {event.service}: open, {event.reason}"
        case BreakerClosed():
            yield "circuit-breakers", f"{at} {event.service}: closed"
        case _:
            pass


def _gate_text(
    state: AutoLogState, event: ApprovalAsked | ApprovalAnswered | ApprovalLapsed | ApprovalVoided
) -> str:
    match event:
        case ApprovalAsked(approval=approval):
            question = approval.question.partition("\n")[0]
            return f"{approval.kind} asked in {state.increment}: {question}"
        case ApprovalAnswered(verdict=verdict, by=by, text=text):
            said = f": {text.strip().splitlines()[0]}" if text.strip() else ""
            return f"{verdict} by {by}: {_question(state, event.approval)}{said}"
        case ApprovalLapsed(verdict=verdict):
            return f"{verdict} by the deadline: {_question(state, event.approval)}"
        case ApprovalVoided(reason=reason):
            return f"void, {reason}: {_question(state, event.approval)}"
        case _:
            assert_never(event)


def _question(state: AutoLogState, asked: str) -> str:
    return dict(state.questions).get(asked, asked)


def _tests_text(event: SuiteFinished) -> str:
    counts = ", ".join(
        f"{each.kind} {each.passed} passed {each.failed} failed {each.skipped} skipped"
        for each in event.counts
    )
    verdict = "failed" if event.objections or event.evidence.exit_code else "passed"
    return f"Tests {verdict}" + (f": {counts}" if counts else "")
