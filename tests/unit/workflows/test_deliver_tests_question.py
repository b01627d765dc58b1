"""The question whether tests may fail: what a person reads, and what their answer means."""

from datetime import timedelta

import pytest

from tests.builders import NOON
from treadle.domain.approval import Answer, ApprovalId, Lapsed, Question, Voided, hash_of
from treadle.domain.testing import Objection
from treadle.workflows.approvals import Outcome, Unanswered
from treadle.workflows.deliver.tests_question import (
    GiveUp,
    LetFail,
    Meaning,
    TryOnceMore,
    meaning_of,
)
from treadle.workflows.deliver.tests_question import tests_question as asked

TRACEBACK = """\
Traceback (most recent call last):
  File "test_cart.py", line 7, in test_pays
    self.assertEqual(pays(), 2)
AssertionError: 1 != 2
"""
FAILS = Objection("new_failure", "test_pays", "test_cart.py", 7, TRACEBACK)


@pytest.mark.parametrize(
    ("objection", "line"),
    [
        (FAILS, "test_pays fails now (test_cart.py:7): AssertionError: 1 != 2"),
        (Objection("new_failure", "test_pays", "cart.ts"), "test_pays fails now (cart.ts)"),
        (
            Objection("removed", "test_pays", message="it was red\nx"),
            "test_pays is gone: it was red",
        ),
        (Objection("newly_skipped", "test_pays"), "test_pays is skipped now"),
        (
            Objection("coverage", "", message="61.0 % is below 80 %"),
            "coverage: 61.0 % is below 80 %",
        ),
        (
            Objection("broken_run", "the test command", message="it tells of no tests"),
            "the test command shows nothing: it tells of no tests",
        ),
    ],
)
def test_each_objection_is_one_line_that_says_what_is_wrong(
    objection: Objection, line: str
) -> None:
    assert asked([objection], rounds=4) == Question(
        kind="failing_tests",
        text="Tests object, and 4 rounds could not mend it. Accept them as they are?",
        subject=line,
        subject_hash=hash_of(line),
        patience=timedelta(hours=24),
        at_deadline="deny",
    )


def test_a_question_about_very_many_tests_can_still_be_read() -> None:
    many = [Objection("removed", f"test_{number}") for number in range(100)]

    lines = asked(many, rounds=4).subject.splitlines()

    assert (len(lines), lines[0], lines[-1]) == (40, "test_0 is gone", "… 61 more")


@pytest.mark.parametrize(
    ("outcome", "meaning"),
    [
        (Answer("approved", "ann", NOON), LetFail((FAILS.accepted_as,))),
        (Answer("replied", "ann", NOON, "mock the clock"), TryOnceMore("mock the clock")),
        (Answer("denied", "ann", NOON), GiveUp("ann said no")),
        (Answer("denied", "ann", NOON, "mend it"), GiveUp("ann said no: mend it")),
        (Lapsed("denied", NOON), GiveUp("nobody said in time that they may fail")),
        (
            Voided("the run ended", NOON),
            GiveUp("the question about them is void: the run ended"),
        ),
        (Unanswered(ApprovalId("a1b2c3d4e5f6")), TryOnceMore()),
    ],
)
def test_what_an_answer_means(outcome: Outcome, meaning: Meaning) -> None:
    assert meaning_of(outcome, [FAILS]) == meaning
