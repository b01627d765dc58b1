"""The deliverables of a run as its log leaves them."""

from dataclasses import replace

import pytest

from tests.unit.cli.sample_runs import COMMIT, STARTED, state_after
from tests.unit.cli.sample_verified_runs import (
    ADD,
    ADD_GRADED,
    CHANGED_TEST,
    DIVIDE,
    ERROR,
    PROVEN,
    SUM,
    WRITTEN,
    checked,
    passed,
)
from treadle.domain.check import Grade, PinnedOutcome
from treadle.domain.deliverable import Claim, Deliverable
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import (
    CheckAdded,
    CriterionGrade,
    DeliverableGraded,
    RegressionFound,
)
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated, StatusAdopted
from treadle.views.deliverable_view import DeliverableView

UNPASSED = DeliverableChanged(ADD.id, ADD.description, "passed", "pending")
RED = checked(ADD, SUM, "after", 1)
GREEN = checked(ADD, SUM, "after", 0)
BROKEN = RegressionFound(ADD.id, SUM.criterion, 2)
FAILS_BEFORE = checked(ADD, SUM, "before", 1)
PASSED = (FAILS_BEFORE, ADD_GRADED, passed(ADD, "proven"))
CHANGED = CriterionGrade(SUM.criterion, "self-tested", "agent", "failed", CHANGED_TEST)
LOWER = DeliverableGraded(ADD.id, "self-tested", (CHANGED,))


def test_what_was_seen_of_a_check_before_the_work_is_remembered() -> None:
    state = state_after(
        DeliverableCreated(DIVIDE),
        CheckAdded(DIVIDE.id, WRITTEN),
        checked(DIVIDE, ERROR, "before", 1),
        checked(DIVIDE, WRITTEN, "before", 0),
        passed(DIVIDE),
    )

    [deliverable] = state.deliverables
    assert deliverable.checks == (
        replace(ERROR, before="failed"),
        replace(WRITTEN, before="passed"),
    )
    assert deliverable.remark == "claimed: 1 of 2 checks passed before the work"


@pytest.mark.parametrize(
    ("events", "remark"),
    [
        ([], ""),
        ([RED], "fails: python -m unittest test_add"),
        ([RED, GREEN], ""),
        ([RED, passed(ADD, "proven")], "proven by the specification"),
        ([*PASSED, checked(ADD, SUM, "again", 1), BROKEN, UNPASSED], "broken in round 2"),
        ([*PASSED, UNPASSED, replace(BROKEN, round=None)], "broken again"),
        ([checked(ADD, SUM, "bisect", 1)], ""),
        # On the pinned tree it decides the grade, and nothing is wrong with the work.
        ([checked(ADD, SUM, "pinned", 1)], ""),
        ([checked(replace(ADD, id="DL-404"), SUM, "after", 1)], ""),
    ],
)
def test_what_is_against_a_deliverable_stands_beside_it_until_it_passes(
    events: list[Event], remark: str
) -> None:
    [deliverable] = state_after(DeliverableCreated(ADD), *events).deliverables

    assert deliverable.remark == remark


def test_a_persons_own_pass_in_an_old_log_is_taken_at_their_word() -> None:
    own = Deliverable("DL-001", "One", ("a",), "passed")
    other = replace(own, id="DL-002", claim=Claim(COMMIT))

    assert state_after(StatusAdopted((own, other), "hand_edit")).deliverables == (
        DeliverableView("DL-001", "One", "passed", None, ("a",)),
        DeliverableView("DL-002", "One", "passed", "claimed", ("a",)),
    )


def test_a_pass_is_only_claimed_once_its_check_is_another() -> None:
    adopted = StatusAdopted((PROVEN,), "earlier_run")
    other = replace(SUM, command="make sum")
    events = (STARTED, adopted, CheckAdded(ADD.id, other), checked(ADD, other, "again", 0))

    assert [each.remark for each in state_after(STARTED, adopted).deliverables] == [
        "proven by the specification"
    ]
    assert state_after(*events).deliverables == (
        DeliverableView(
            ADD.id, ADD.description, "passed", "claimed", ADD.acceptance_criteria, (other,)
        ),
    )


def test_a_pass_is_only_claimed_while_its_check_must_be_seen_to_fail_again() -> None:
    state = state_after(StatusAdopted((PROVEN,), "earlier_run"), CheckAdded(ADD.id, SUM))

    assert [each.remark for each in state.deliverables] == [
        "claimed: its check was never seen to fail"
    ]


@pytest.mark.parametrize(
    ("events", "grade", "pinned", "remark"),
    [
        (PASSED, "proven", "passed", "proven by the specification"),
        (
            (FAILS_BEFORE, LOWER, passed(ADD, "self-tested")),
            "self-tested",
            "failed",
            f"self-tested: {CHANGED_TEST}",
        ),
        # A later round changed a judge.
        ((*PASSED, LOWER), "self-tested", "failed", f"self-tested: {CHANGED_TEST}"),
        (
            (*PASSED, replace(ADD_GRADED, grade="self-tested", why="2 tests of yours fail")),
            "self-tested",
            "passed",
            "self-tested: 2 tests of yours fail",
        ),
        # No event gives more than the checks do.
        (
            (ADD_GRADED, passed(ADD), ADD_GRADED),
            "claimed",
            "passed",
            "claimed: its check was never seen to fail",
        ),
        # A log of an earlier version has no grades.
        ((FAILS_BEFORE, passed(ADD, "proven")), "proven", "passed", "proven by the specification"),
        # What is pending again has no grade.
        ((*PASSED, UNPASSED), None, "", ""),
        ((FAILS_BEFORE, replace(ADD_GRADED, id="DL-404")), None, "", ""),
    ],
)
def test_the_last_grade_of_a_deliverable_counts(
    events: tuple[Event, ...], grade: Grade | None, pinned: PinnedOutcome, remark: str
) -> None:
    [deliverable] = state_after(DeliverableCreated(ADD), *events).deliverables

    assert (deliverable.proof, deliverable.checks[0].pinned, deliverable.remark) == (
        grade,
        pinned,
        remark,
    )


def test_what_was_adopted_as_proven_from_an_earlier_version_is_proven_criterion_by_criterion() -> (
    None
):
    stored = replace(PROVEN, checks=(replace(SUM, before="failed"),))

    [deliverable] = state_after(StatusAdopted((stored,), "earlier_run")).deliverables

    assert deliverable.checks == PROVEN.checks


def test_a_check_that_could_not_run_before_the_work_says_so_in_the_remark() -> None:
    unknown = replace(checked(ADD, SUM, "before", 127), inconclusive="jq was not found")

    [deliverable] = state_after(DeliverableCreated(ADD), unknown, passed(ADD)).deliverables

    assert deliverable.remark == "claimed: it could not be run before the work: jq was not found"
