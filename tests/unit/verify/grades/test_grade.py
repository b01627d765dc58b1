"""Grades: who says that the work is done, and why nobody better does."""

from dataclasses import replace

import pytest

from treadle.domain.check import Check, CheckOrigin, Grade, RequiredGrade
from treadle.domain.deliverable import Claim, Deliverable
from treadle.domain.events.verification import CriterionGrade, DeliverableGraded
from treadle.verify.grades.grade import (
    AGENT_CHECK,
    NO_CHECK,
    PinnedResult,
    claimed_criteria,
    grade_criterion,
    grade_deliverable,
    lower_grades,
    needs_pinned_run,
    shortfall,
    with_grades,
)
from treadle.verify.grades.suite_grade import SuiteGrade

GREETS, ENDS = "It greets", "It ends"
SEEN = Check(GREETS, "make greet", "spec", "failed")
PINNED = replace(SEEN, pinned="passed")
LOWER = "it fails with your version of test_greet.py"
PROVEN = CriterionGrade(GREETS, "proven", "spec", "passed")
SELF_TESTED = CriterionGrade(GREETS, "self-tested", "agent", "failed", LOWER)
GREEN, RED = PinnedResult("passed"), PinnedResult("failed", LOWER)
CONTRADICTING = SuiteGrade("claimed", "agent", "2 tests of yours fail", failing=("a", "b"))
ONE = Deliverable("DL-1", "Greet", (GREETS,), "passed", Claim("c0"), (PINNED,), "proven")


@pytest.mark.parametrize(
    ("check", "pinned", "grade"),
    [
        (SEEN, GREEN, PROVEN),
        (replace(SEEN, origin="person"), GREEN, replace(PROVEN, judge="person")),
        (SEEN, RED, SELF_TESTED),
        # What the agent wrote itself is its own word, with the user's files as well.
        (
            replace(SEEN, origin="agent"),
            GREEN,
            CriterionGrade(GREETS, "self-tested", "agent", "passed", AGENT_CHECK),
        ),
        (
            replace(SEEN, origin="agent"),
            RED,
            CriterionGrade(
                GREETS, "self-tested", "agent", "failed", f"{AGENT_CHECK}, and {RED.why}"
            ),
        ),
        (
            replace(SEEN, before="passed"),
            PinnedResult(""),
            CriterionGrade(GREETS, "claimed", why="its check passed before the work"),
        ),
        (
            replace(SEEN, before=""),
            PinnedResult(""),
            CriterionGrade(GREETS, "claimed", why="its check was not seen to fail before the work"),
        ),
        (
            replace(SEEN, before="", why="it could not be run before the work: jq was not found"),
            PinnedResult(""),
            CriterionGrade(
                GREETS, "claimed", why="it could not be run before the work: jq was not found"
            ),
        ),
    ],
)
def test_a_criterion_has_the_grade_of_its_judge(
    check: Check, pinned: PinnedResult, grade: CriterionGrade
) -> None:
    assert grade_criterion(check, pinned) == grade


@pytest.mark.parametrize(("before", "needed"), [("failed", True), ("passed", False), ("", False)])
def test_only_a_check_that_was_red_before_the_work_is_worth_a_second_run(
    before: str, needed: bool
) -> None:
    assert needs_pinned_run(replace(SEEN, before=before)) is needed  # type: ignore[arg-type]


def test_criteria_without_a_check_are_for_a_person_to_look_at() -> None:
    found = replace(ONE, acceptance_criteria=("It is fast", GREETS, ENDS))

    assert claimed_criteria(found) == ("It is fast", ENDS)


@pytest.mark.parametrize(
    ("criteria", "checked", "suite", "graded"),
    [
        ((GREETS,), [PROVEN], None, DeliverableGraded("DL-1", "proven", (PROVEN,))),
        ((GREETS,), [SELF_TESTED], None, DeliverableGraded("DL-1", "self-tested", (SELF_TESTED,))),
        (
            (GREETS, ENDS),
            [PROVEN, replace(SELF_TESTED, criterion=ENDS)],
            None,
            DeliverableGraded(
                "DL-1", "self-tested", (PROVEN, replace(SELF_TESTED, criterion=ENDS))
            ),
        ),
        (
            (ENDS, GREETS),
            [PROVEN],
            None,
            DeliverableGraded(
                "DL-1", "claimed", (CriterionGrade(ENDS, "claimed", why=NO_CHECK), PROVEN)
            ),
        ),
        # A criterion that is there twice is one.
        ((GREETS, GREETS), [PROVEN], None, DeliverableGraded("DL-1", "proven", (PROVEN,))),
        ((), [], None, DeliverableGraded("DL-1", "claimed", ())),
        # Tests lower it if they say the contrary, and raise nothing.
        (
            (GREETS,),
            [PROVEN],
            SuiteGrade("self-tested", "agent", "the agent wrote the tests"),
            DeliverableGraded("DL-1", "proven", (PROVEN,)),
        ),
        (
            (GREETS,),
            [PROVEN],
            CONTRADICTING,
            DeliverableGraded("DL-1", "self-tested", (PROVEN,), CONTRADICTING.why),
        ),
        (
            (GREETS,),
            [SELF_TESTED],
            CONTRADICTING,
            DeliverableGraded("DL-1", "self-tested", (SELF_TESTED,)),
        ),
    ],
)
def test_a_deliverable_has_the_lowest_grade_of_its_criteria_and_none_against_the_tests(
    criteria: tuple[str, ...],
    checked: list[CriterionGrade],
    suite: SuiteGrade | None,
    graded: DeliverableGraded,
) -> None:
    assert grade_deliverable(replace(ONE, acceptance_criteria=criteria), checked, suite) == graded


def test_the_results_on_the_pinned_tree_become_those_of_the_checks() -> None:
    two = replace(ONE, acceptance_criteria=(GREETS, ENDS), checks=(SEEN, Check(ENDS, "make end")))
    graded = DeliverableGraded("DL-1", "self-tested", (SELF_TESTED,), "your tests fail")

    passed = with_grades(two, graded)
    pending = with_grades(replace(two, status="pending", proof=None), graded)

    checks = (replace(SEEN, pinned="failed", why=LOWER), Check(ENDS, "make end"))
    assert passed == replace(two, checks=checks, proof="self-tested", why="your tests fail")
    assert pending == replace(passed, status="pending", proof=None)


FAILED = replace(SEEN, pinned="failed", why=LOWER)
ALL_PROVEN = DeliverableGraded("DL-1", "proven", (PROVEN,))


@pytest.mark.parametrize(
    ("known", "new", "kept"),
    [
        (ONE, ALL_PROVEN, ALL_PROVEN),
        # A judge of the user's fails now.
        (
            ONE,
            DeliverableGraded("DL-1", "self-tested", (SELF_TESTED,)),
            DeliverableGraded("DL-1", "self-tested", (SELF_TESTED,)),
        ),
        # The base of the later run has the judges that the agent of the earlier one wrote.
        (
            replace(ONE, checks=(FAILED,), proof="self-tested"),
            ALL_PROVEN,
            DeliverableGraded("DL-1", "self-tested", (SELF_TESTED,)),
        ),
        (
            replace(ONE, proof="self-tested", why="2 tests of yours fail"),
            ALL_PROVEN,
            DeliverableGraded("DL-1", "self-tested", (PROVEN,), "2 tests of yours fail"),
        ),
        (replace(ONE, proof=None), ALL_PROVEN, DeliverableGraded("DL-1", "claimed", (PROVEN,))),
        (
            ONE,
            replace(ALL_PROVEN, grade="self-tested", why=CONTRADICTING.why),
            replace(ALL_PROVEN, grade="self-tested", why=CONTRADICTING.why),
        ),
        # What proved nothing then proves nothing now.
        (
            replace(ONE, checks=(replace(SEEN, before="", why="it hung"),), proof="claimed"),
            ALL_PROVEN,
            DeliverableGraded(
                "DL-1", "claimed", (CriterionGrade(GREETS, "claimed", why="it hung"),)
            ),
        ),
        (
            replace(ONE, checks=(), proof="claimed"),
            DeliverableGraded(
                "DL-1", "claimed", (CriterionGrade(GREETS, "claimed", why=NO_CHECK),)
            ),
            DeliverableGraded(
                "DL-1", "claimed", (CriterionGrade(GREETS, "claimed", why=NO_CHECK),)
            ),
        ),
    ],
)
def test_a_later_run_can_only_lower_the_grade_of_an_earlier_pass(
    known: Deliverable, new: DeliverableGraded, kept: DeliverableGraded
) -> None:
    assert lower_grades(known, new) == kept


def held(grade: Grade, *, origin: CheckOrigin = "spec", why: str = "") -> Deliverable:
    """A pass whose check has this grade."""
    known: dict[Grade, Check] = {
        "proven": replace(PINNED, origin=origin),
        "self-tested": replace(SEEN, origin=origin, pinned="failed", why=why),
        "claimed": replace(SEEN, before="", why=why),
    }
    return replace(ONE, checks=(known[grade],), proof=grade)


ASKED = "and verify.require asks for"
UNCHECKED = replace(ONE, checks=(), proof="claimed")
PENDING = replace(held("claimed"), status="pending", proof=None)
CONTRADICTED = replace(ONE, proof="self-tested", why="2 tests of yours fail")


@pytest.mark.parametrize(
    ("deliverables", "suite", "required", "why"),
    [
        ([], None, "proven", ""),
        ([held("proven")], None, "proven", ""),
        ([held("self-tested")], None, "self-tested", ""),
        (
            [held("proven"), held("self-tested", why=LOWER)],
            None,
            "proven",
            f"DL-1 is self-tested ({LOWER}), {ASKED} proven",
        ),
        ([held("self-tested")], None, "proven", f"DL-1 is self-tested, {ASKED} proven"),
        (
            [held("claimed", why="it hung")],
            None,
            "self-tested",
            f"DL-1 is claimed (it hung), {ASKED} self-tested",
        ),
        # Criteria without a check are for a person, and so is what has not passed.
        ([UNCHECKED, PENDING, replace(PENDING, status="blocked")], None, "proven", ""),
        # A check that passed before the work shows nothing, and holds nothing up.
        (
            [replace(ONE, checks=(replace(SEEN, before="passed"),), proof="claimed")],
            None,
            "proven",
            "",
        ),
        # What a person passed is a person's word.
        ([replace(held("claimed", why="it hung"), claim=None)], None, "proven", ""),
        # Checks are proven, and the tests say the contrary.
        ([CONTRADICTED], None, "self-tested", ""),
        (
            [CONTRADICTED],
            None,
            "proven",
            f"DL-1 is self-tested (2 tests of yours fail), {ASKED} proven",
        ),
        # A proven check beside a criterion without one.
        (
            [replace(ONE, acceptance_criteria=(GREETS, ENDS), proof="claimed")],
            None,
            "proven",
            "",
        ),
        # The test command counts where there is one and it has tests.
        ([held("proven")], SuiteGrade("proven", "person"), "proven", ""),
        ([], SuiteGrade("self-tested", "agent"), "self-tested", ""),
        (
            [],
            SuiteGrade("self-tested", "agent", "the agent changed test_it.py"),
            "proven",
            f"the test command is self-tested (the agent changed test_it.py), {ASKED} proven",
        ),
        (
            [],
            SuiteGrade("claimed", "", "it names no tests"),
            "self-tested",
            f"the test command is claimed (it names no tests), {ASKED} self-tested",
        ),
        ([], SuiteGrade("claimed", "", is_empty=True), "proven", ""),
    ],
)
def test_a_run_falls_short_by_the_first_grade_below_the_required_one(
    deliverables: list[Deliverable],
    suite: SuiteGrade | None,
    required: RequiredGrade,
    why: str,
) -> None:
    assert shortfall(deliverables, suite, required) == why
