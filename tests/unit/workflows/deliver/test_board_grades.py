"""The grade of a pass: set with the pass, lowered and raised later, known to the next process."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.deliver.board_harness import (
    COMMIT,
    ONE,
    TWO,
    BoardHarness,
    finished,
    graded,
    make_board_harness,
    reopen_board,
    with_checks,
)
from treadle.domain.check import CheckOrigin, Grade, PinnedOutcome
from treadle.domain.deliverable import Claim, Deliverable
from treadle.domain.events.verification import CriterionGrade, DeliverableGraded
from treadle.domain.events.work import DeliverableChanged, StatusAdopted
from treadle.verify.grades.grade import PinnedResult, with_grades

SEEN = "DL-1 can be seen"
CHECKED = with_checks(ONE, "make one", origin="spec")
[UNSEEN] = CHECKED.checks
FAILED = replace(CHECKED, checks=(replace(UNSEEN, before="failed"),))
PROVEN = replace(
    FAILED,
    status="passed",
    claim=Claim(COMMIT),
    checks=(replace(UNSEEN, before="failed", pinned="passed"),),
    proof="proven",
)
PROVEN_BY_PERSON = replace(PROVEN, checks=(replace(PROVEN.checks[0], origin="person"),))
CHANGED = PinnedResult("failed", "it fails with your version of one.mk")


@pytest.fixture
def board_harness(tmp_path: Path) -> BoardHarness:
    """One deliverable with a check and one without."""
    board_harness = make_board_harness(tmp_path, left=[CHECKED, TWO])
    board_harness.events.clear()
    return board_harness


@pytest.mark.parametrize(
    ("origin", "has_failed", "pinned", "grade"),
    [
        ("spec", True, "passed", "proven"),
        ("agent", True, "passed", "self-tested"),
        ("spec", True, "failed", "self-tested"),
        ("spec", False, "passed", "claimed"),
    ],
)
async def test_no_pass_has_a_higher_grade_than_its_checks_can_give(
    tmp_path: Path, origin: CheckOrigin, has_failed: bool, pinned: PinnedOutcome, grade: Grade
) -> None:
    left = with_checks(ONE, "make one", origin=origin)
    board_harness = make_board_harness(tmp_path, left=[left])
    if has_failed:
        board_harness.board.set_before(finished("DL-1", left.checks[0]))
    await board_harness.set_status("DL-1", "passed")

    result = CriterionGrade(SEEN, "proven", "spec", pinned, "changed" if pinned == "failed" else "")
    board_harness.board.pass_deliverable(
        "DL-1", COMMIT, DeliverableGraded("DL-1", "proven", (result,))
    )

    [found] = board_harness.saved()
    assert (found.proof, found.checks[0].pinned, found.checks[0].why) == (
        grade,
        result.pinned,
        result.why,
    )
    assert board_harness.events[-1] == DeliverableChanged(
        "DL-1", "What DL-1 is about", "pending", "passed", grade, COMMIT
    )


async def test_a_grade_is_taken_back_and_given_again_on_later_commits(tmp_path: Path) -> None:
    board_harness = make_board_harness(tmp_path, left=[PROVEN, TWO])
    board_harness.events.clear()
    lower = graded(PROVEN, CHANGED)
    contradicted = replace(graded(PROVEN), grade="self-tested", why="2 tests of yours fail")

    seen = []
    for each in (lower, contradicted, graded(PROVEN), replace(lower, id="DL-9")):
        board_harness.board.regrade(each)
        seen.append(board_harness.saved()[0])

    changed = replace(PROVEN.checks[0], pinned="failed", why=CHANGED.why)
    assert seen == [
        replace(PROVEN, checks=(changed,), proof="self-tested"),
        replace(PROVEN, proof="self-tested", why="2 tests of yours fail"),
        PROVEN,
        PROVEN,
    ]
    assert board_harness.events == []


def test_only_a_pass_has_a_grade(tmp_path: Path) -> None:
    board_harness = make_board_harness(tmp_path, left=[FAILED])

    board_harness.board.regrade(graded(FAILED))

    assert board_harness.saved() == (FAILED,)


async def test_a_run_has_only_claims_if_nothing_that_passed_in_it_has_a_better_grade(
    tmp_path: Path,
) -> None:
    board_harness = make_board_harness(tmp_path, left=[deliverable("DL-3", "passed"), FAILED, TWO])
    board = board_harness.board
    # Passes of earlier runs are none of this one.
    seen = [board.has_only_claims()]
    await board_harness.set_status("DL-2", "passed")
    seen.append(board.has_only_claims())
    seen.append(reopen_board(board_harness).board.has_only_claims())
    await board_harness.set_status("DL-1", "passed")
    board.pass_deliverable("DL-1", COMMIT, graded(FAILED, CHANGED))
    seen.append(board.has_only_claims())
    board.reset_pass("DL-1", "its check is red")
    seen.append(board.has_only_claims())
    await board_harness.set_status("DL-2", "pending")
    seen.append(board.has_only_claims())

    assert seen == [False, True, True, False, True, False]


def test_a_check_that_could_not_run_before_the_work_keeps_the_reason_until_it_can(
    board_harness: BoardHarness,
) -> None:
    board = board_harness.board
    board.set_before(replace(finished("DL-1", UNSEEN), inconclusive="jq was not found"))
    unknown = board_harness.saved()[0].checks
    still_open = board.checks_before_work()
    board.set_before(finished("DL-1", UNSEEN))

    why = "it could not be run before the work: jq was not found"
    assert unknown == (replace(UNSEEN, why=why),)
    assert still_open == (("DL-1", replace(UNSEEN, why=why)),)
    assert board_harness.saved()[0].checks == FAILED.checks


@pytest.mark.parametrize(
    ("result", "grade"),
    [
        (PinnedResult("passed"), "proven"),
        (CHANGED, "self-tested"),
    ],
)
async def test_a_grade_that_was_recorded_and_not_written_is_written(
    board_harness: BoardHarness, result: PinnedResult, grade: Grade
) -> None:
    board_harness.events[:] = [StatusAdopted((CHECKED, TWO), "earlier_run")]
    await board_harness.set_status("DL-1", "passed")
    shown = DeliverableChanged("DL-1", "What DL-1 is about", "pending", "passed", grade, COMMIT)

    after = reopen_board(board_harness, finished("DL-1", UNSEEN), graded(FAILED, result), shown)

    check = replace(UNSEEN, before="failed", pinned=result.outcome, why=result.why)
    one = replace(PROVEN, checks=(check,), proof=grade)
    assert after.saved() == after.board.deliverables == (one, TWO)


@pytest.mark.parametrize(
    ("left", "again"),
    [
        (PROVEN, graded(PROVEN, CHANGED)),
        (PROVEN, replace(graded(PROVEN), grade="self-tested", why="2 tests of yours fail")),
        (with_grades(PROVEN, graded(PROVEN, CHANGED)), graded(PROVEN)),
    ],
)
def test_a_later_grade_that_was_recorded_and_not_written_is_written(
    tmp_path: Path, left: Deliverable, again: DeliverableGraded
) -> None:
    board_harness = make_board_harness(tmp_path, left=[left, TWO])

    after = reopen_board(board_harness, again)

    assert after.saved() == after.board.deliverables == (with_grades(left, again), TWO)


def test_a_check_that_a_person_accepted_between_two_legs_stays_accepted(tmp_path: Path) -> None:
    agent = replace(PROVEN.checks[0], origin="agent")
    left = replace(PROVEN, checks=(agent,), proof="self-tested")
    board_harness = make_board_harness(tmp_path, left=[left, TWO])
    board_harness.edit(PROVEN_BY_PERSON, TWO)

    after = reopen_board(board_harness)

    assert after.saved() == after.board.deliverables == (PROVEN_BY_PERSON, TWO)


async def test_nobody_but_the_run_sets_results_on_the_pinned_tree(tmp_path: Path) -> None:
    lower = with_grades(PROVEN, graded(PROVEN, CHANGED))
    board_harness = make_board_harness(tmp_path, left=[lower, TWO])
    board_harness.edit(PROVEN, TWO)

    board_harness.board.adopt()
    known = board_harness.board.deliverables
    await board_harness.set_status("DL-2", "blocked")

    assert known == (lower, TWO)
    assert board_harness.saved() == (lower, replace(TWO, status="blocked"))
