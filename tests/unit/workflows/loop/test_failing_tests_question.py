"""The question whether tests may fail: what a person reads, and what their answer means."""

from datetime import timedelta

import pytest

from tests.builders import NOON
from treadle.domain.approval import (
    Answer,
    ApprovalId,
    ApprovalQuestion,
    LapsedQuestion,
    VoidedQuestion,
    hash_of,
)
from treadle.domain.suite_report import SuiteObjection
from treadle.workflows.loop.approval_requests import ApprovalOutcome, NotAnswered
from treadle.workflows.loop.failing_tests_question import (
    AcceptFailures,
    FailingTestsDecision,
    GiveUpOnTests,
    TryAgain,
    decide_failing_tests,
)
from treadle.workflows.loop.failing_tests_question import tests_question as asked

TRACEBACK = """\
Traceback (most recent call last):
  File "test_cart.py", line 7, in test_pays
    self.assertEqual(pays(), 2)
AssertionError: 1 != 2
"""
FAILS = SuiteObjection("new_failure", "test_pays", "test_cart.py", 7, TRACEBACK)


@pytest.mark.parametrize(
    ("objection", "line"),
    [
        (FAILS, "test_pays fails now (test_cart.py:7): AssertionError: 1 != 2"),
        (SuiteObjection("new_failure", "test_pays", "cart.ts"), "test_pays fails now (cart.ts)"),
        (
            SuiteObjection("removed", "test_pays", message="it was red\nx"),
            "test_pays is gone: it was red",
        ),
        (SuiteObjection("newly_skipped", "test_pays"), "test_pays is skipped now"),
        (
            SuiteObjection("coverage", "", message="61.0 % is below 80 %"),
            "coverage: 61.0 % is below 80 %",
        ),
        (
            SuiteObjection("broken_run", "the test command", message="it tells of no tests"),
            "the test command shows nothing: it tells of no tests",
        ),
    ],
)
def test_each_objection_is_one_line_that_says_what_is_wrong(
    objection: SuiteObjection, line: str
) -> None:
    assert asked([objection], rounds=4) == ApprovalQuestion(
        kind="failing_tests",
        text="Tests fail, and 4 rounds could not fix them. Accept them as they are?",
        subject=line,
        subject_hash=hash_of(line),
        patience=timedelta(hours=24),
        at_deadline="deny",
    )


def test_a_question_about_very_many_tests_can_still_be_read() -> None:
    many = [SuiteObjection("removed", f"test_{number}") for number in range(100)]

    lines = asked(many, rounds=4).subject.splitlines()

    assert (len(lines), lines[0], lines[-1]) == (40, "test_0 is gone", "… 61 more")


@pytest.mark.parametrize(
    ("outcome", "meaning"),
    [
        (Answer("approved", "ann", NOON), AcceptFailures((FAILS.accepted_as,))),
        (Answer("replied", "ann", NOON, "mock the clock"), TryAgain("mock the clock")),
        (Answer("denied", "ann", NOON), GiveUpOnTests("ann said no")),
        (Answer("denied", "ann", NOON, "mend it"), GiveUpOnTests("ann said no: mend it")),
        (LapsedQuestion("denied", NOON), GiveUpOnTests("nobody accepted them in time")),
        (
            VoidedQuestion("the run ended", NOON),
            GiveUpOnTests("the question about them is void: the run ended"),
        ),
        (NotAnswered(ApprovalId("a1b2c3d4e5f6")), TryAgain()),
    ],
)
def test_what_an_answer_means(outcome: ApprovalOutcome, meaning: FailingTestsDecision) -> None:
    assert decide_failing_tests(outcome, [FAILS]) == meaning
