"""The log files of a queue of increments are lines of its events, numbered over all increments."""

from dataclasses import replace
from datetime import timedelta

from tests.builders import NOON, RUN
from treadle.domain.approval import ApprovalQuestion, make_approval
from treadle.domain.check import Evidence
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
    BreakerClosed,
    BreakerOpened,
)
from treadle.domain.events.run import RoundStarted, RunWarned
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.suite_report import CaseCounts, SuiteObjection
from treadle.workflows.auto.auto_logs import AutoLogState, auto_log_lines, with_question

QUESTION = ApprovalQuestion("gate", "Deploy it?\nThe rule says so.", "x", "y", None)
ASKED = make_approval(QUESTION, run=RUN, step="1", now=NOON)
GREEN = SuiteFinished(
    Evidence("npm test", "after", "c" * 40, "t" * 40, 0, 2.0, "e1", "l1"),
    (CaseCounts("unit", 4), CaseCounts("e2e", 2, 0, 1)),
    None,
    (),
)
RED = replace(GREEN, counts=(), objections=(SuiteObjection("new_failure", "test_a"),))


def lines(*events: Event) -> list[tuple[str, str]]:
    state = AutoLogState("0002-list", 5)
    found: list[tuple[str, str]] = []
    for number, event in enumerate(events):
        recorded = RecordedEvent(RUN, number, NOON + timedelta(seconds=number), event)
        state = with_question(state, recorded)
        found += auto_log_lines(state, recorded)
    return found


def test_iterations_are_counted_over_all_increments_and_have_the_form_of_the_seed() -> None:
    at = f"{NOON:%Y-%m-%dT%H:%M:%SZ}"

    assert lines(RoundStarted(2, "coding"), RunWarned("no line")) == [
        ("iterations", f"[{at}] Iteration 7 started: coding of 0002-list")
    ]


def test_gates_tests_and_breakers_have_a_file_each() -> None:
    found = lines(
        ApprovalAsked(ASKED),
        ApprovalAnswered(ASKED.id, "denied", "ada", "not before Monday\nor later"),
        ApprovalLapsed(ASKED.id, "denied"),
        ApprovalVoided(ASKED.id, "the run ended"),
        GREEN,
        RED,
        BreakerOpened("the model", "529", NOON),
        BreakerClosed("the model"),
    )

    assert [(log, text.partition("] ")[2]) for log, text in found] == [
        ("gates", "gate asked in 0002-list: Deploy it?"),
        ("gates", "denied by ada: Deploy it?: not before Monday"),
        ("gates", "denied by the deadline: Deploy it?"),
        ("gates", "void, the run ended: Deploy it?"),
        (
            "tests",
            "Tests passed: unit 4 passed 0 failed 0 skipped, e2e 2 passed 0 failed 1 skipped"
            " in 0002-list",
        ),
        ("tests", "Tests failed in 0002-list"),
        ("circuit-breakers", "the model: open, 529"),
        ("circuit-breakers", "the model: closed"),
    ]
