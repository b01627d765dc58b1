"""The grade of a check: who says that its criterion holds?"""

from collections.abc import Sequence

import pytest

from treadle.domain.check import (
    GRADES,
    BeforeOutcome,
    Check,
    CheckOrigin,
    Grade,
    PinnedOutcome,
    RequiredGrade,
    lowest_grade,
    reaches,
)


@pytest.mark.parametrize(
    ("origin", "before", "pinned", "grade"),
    [
        ("spec", "failed", "passed", "proven"),
        ("person", "failed", "passed", "proven"),
        ("agent", "failed", "passed", "self-tested"),  # it wrote its own judge
        ("spec", "failed", "failed", "self-tested"),
        ("spec", "failed", "", "self-tested"),
        ("agent", "failed", "", "self-tested"),
        # Nobody saw it fail, so its green says nothing.
        ("spec", "passed", "passed", "claimed"),
        ("spec", "", "passed", "claimed"),
        ("person", "", "", "claimed"),
    ],
)
def test_only_a_foreign_judge_that_was_red_and_is_green_with_its_own_files_proves(
    origin: CheckOrigin, before: BeforeOutcome, pinned: PinnedOutcome, grade: Grade
) -> None:
    assert Check("It greets", "make", origin, before, pinned).grade == grade


def test_a_check_belongs_to_the_agent_unless_somebody_else_is_named() -> None:
    assert Check("It greets", "make", before="failed", pinned="passed").grade == "self-tested"


@pytest.mark.parametrize(
    ("grades", "lowest"),
    [
        ([], "claimed"),
        (["proven"], "proven"),
        (["proven", "self-tested"], "self-tested"),
        (["self-tested", "claimed", "proven"], "claimed"),
    ],
)
def test_the_lowest_grade_counts(grades: Sequence[Grade], lowest: Grade) -> None:
    assert lowest_grade(grades) == lowest


@pytest.mark.parametrize(
    ("required", "enough"),
    [("self-tested", ["self-tested", "proven"]), ("proven", ["proven"])],
)
def test_a_grade_reaches_itself_and_those_below(
    required: RequiredGrade, enough: Sequence[Grade]
) -> None:
    assert [grade for grade in GRADES if reaches(grade, required)] == enough
