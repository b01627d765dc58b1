"""May the work land? What is asked, and what each answer means."""

from datetime import timedelta

import pytest

from tests.builders import NOON
from treadle.domain.approval import (
    Answer,
    ApprovalId,
    ApprovalQuestion,
    LapsedQuestion,
    VoidedQuestion,
)
from treadle.workflows.loop.approval_requests import ApprovalOutcome, NotAnswered
from treadle.workflows.loop.landing import landing_question, why_not_landed

TIP = "0123456789abcdef0123456789abcdef01234567"
STAT = " calc.py | 3 +++\n 1 file changed, 3 insertions(+)\n"


def test_the_question_is_bound_to_the_commit_that_would_land() -> None:
    question = landing_question(
        commits=2, tip=TIP, stat=STAT, patience=timedelta(hours=1), answerers=("ada",)
    )

    assert question == ApprovalQuestion(
        kind="landing",
        text="Land 2 commits in your checkout?",
        subject=f" calc.py | 3 +++\n 1 file changed, 3 insertions(+)\ncommit {TIP}",
        subject_hash=TIP,
        patience=timedelta(hours=1),
        at_deadline="deny",
        answerers=("ada",),
    )


def test_of_many_files_the_first_and_the_totals_are_shown() -> None:
    stat = "".join(f" file-{n} | 1 +\n" for n in range(100)) + " 100 files changed\n"

    shown = landing_question(commits=1, tip=TIP, stat=stat).subject.splitlines()

    assert (len(shown), shown[0]) == (42, " file-0 | 1 +")
    assert shown[38:] == [
        " file-38 | 1 +",
        " … 61 more files",
        " 100 files changed",
        f"commit {TIP}",
    ]


@pytest.mark.parametrize(
    ("outcome", "why_not"),
    [
        (Answer("approved", "ada", NOON), ""),
        (LapsedQuestion("approved", NOON), ""),
        (Answer("denied", "ada", NOON), "ada said no"),
        (Answer("denied", "ada", NOON, "not today"), "ada said no: not today"),
        (LapsedQuestion("denied", NOON), "nobody approved the landing in time"),
        (
            VoidedQuestion("its subject changed", NOON),
            "the question whether it may land is void: its subject changed",
        ),
        (
            NotAnswered(ApprovalId("0123")),
            "the run stopped before anybody approved the landing",
        ),
    ],
)
def test_only_a_yes_lands_and_everything_else_is_a_reason(
    outcome: ApprovalOutcome, why_not: str
) -> None:
    assert why_not_landed(outcome) == why_not
