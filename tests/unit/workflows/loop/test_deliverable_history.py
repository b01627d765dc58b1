"""Deliverables, claims and checks out of a run's log: what the next process knows of them."""

from dataclasses import replace

import pytest

from tests.builders import RUN_LIMITS, claimed, deliverable
from tests.unit.workflows.deliver.board_harness import history_of
from treadle.domain.check import Check, CheckTiming, Evidence
from treadle.domain.deliverable import Claim, Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted, RunEnded, RunReopened
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    CriterionGrade,
    DeliverableClaimed,
    DeliverableGraded,
)
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated, StatusAdopted
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage
from treadle.workflows.loop.deliverable_history import DeliverableHistory, apply_deliverable

ONE = deliverable("DL-1")
CHECK = Check("DL-1 can be seen", "make")
RED, GREEN = replace(CHECK, before="failed"), replace(CHECK, before="passed")
CHECKED = replace(ONE, checks=(CHECK,))
CREATED = DeliverableCreated(CHECKED)
ADDED, CHANGED = CheckAdded("DL-1", CHECK), CheckAdded("DL-1", replace(CHECK, command="make all"))
CLAIMED = DeliverableClaimed("DL-1", ONE.description)
WITHDRAWN = DeliverableChanged("DL-1", ONE.description, "pending", "pending")
BLOCKED = DeliverableChanged("DL-1", ONE.description, "pending", "blocked")
SAFE = Claim("a1" * 20)
PROVEN = DeliverableChanged("DL-1", ONE.description, "pending", "passed", "proven", SAFE.commit)
PASSED = replace(CHECKED, status="passed", claim=SAFE, proof="proven")
RESET = DeliverableChanged("DL-1", ONE.description, "passed", "pending")
PINNED = Check(CHECK.criterion, "make", "spec", "failed", "passed")
SELF_TESTED = replace(PINNED, pinned="failed", why="it fails with your version of test_it.py")
SPEC_CREATED = DeliverableCreated(replace(ONE, checks=(replace(CHECK, origin="spec"),)))
UNKNOWN = "it could not be run before the work: jq was not found"
BEST = DeliverableGraded(
    "DL-1", "proven", (CriterionGrade(CHECK.criterion, "proven", "spec", "passed"),)
)
LOWER = DeliverableGraded(
    "DL-1",
    "self-tested",
    (CriterionGrade(CHECK.criterion, "self-tested", "agent", "failed", SELF_TESTED.why),),
)


def seen(
    exit_code: int | None, when: CheckTiming = "before", command: str = "make"
) -> CheckFinished:
    evidence = Evidence(command, when, "c3" * 20, "tree", exit_code, 0.5, "environment", "log")
    return CheckFinished("DL-1", CHECK.criterion, evidence, "")


@pytest.mark.parametrize(
    ("told", "known"),
    [
        # claims of the round, until they are shown or withdrawn
        (
            [CREATED, CLAIMED, CLAIMED],
            DeliverableHistory(
                (CHECKED,), passed_this_round=("DL-1",), claimed_this_round=("DL-1",)
            ),
        ),
        ([CREATED, CLAIMED, WITHDRAWN], DeliverableHistory((CHECKED,))),
        (
            [CREATED, CLAIMED, BLOCKED],
            DeliverableHistory((replace(CHECKED, status="blocked"),), changes=(BLOCKED,)),
        ),
        (
            [CREATED, CLAIMED, PROVEN],
            DeliverableHistory((PASSED,), changes=(PROVEN,), passed_this_round=("DL-1",)),
        ),
        # checks that came later
        ([DeliverableCreated(ONE), ADDED], DeliverableHistory((CHECKED,), added_checks=(ADDED,))),
        (
            [CREATED, CHANGED],
            DeliverableHistory((replace(ONE, checks=(CHANGED.check,)),), added_checks=(CHANGED,)),
        ),
        (
            [DeliverableCreated(ONE), ADDED, StatusAdopted((CHECKED,), "hand_edit")],
            DeliverableHistory((CHECKED,)),
        ),
        # what was proven, was by the check that was there
        (
            [DeliverableCreated(PASSED), CHANGED],
            DeliverableHistory(
                (replace(PASSED, checks=(CHANGED.check,), proof="claimed"),),
                added_checks=(CHANGED,),
            ),
        ),
        # what was seen of them before the work, and of nothing else
        ([CREATED, seen(1)], DeliverableHistory((replace(CHECKED, checks=(RED,)),))),
        ([CREATED, seen(None)], DeliverableHistory((replace(CHECKED, checks=(RED,)),))),
        ([CREATED, seen(0)], DeliverableHistory((replace(CHECKED, checks=(GREEN,)),))),
        ([CREATED, seen(1, "after")], DeliverableHistory((CHECKED,))),
        ([CREATED, seen(0, command="make all")], DeliverableHistory((CHECKED,))),
        ([DeliverableCreated(ONE), seen(1)], DeliverableHistory((ONE,))),
        # why nothing was seen of it
        (
            [CREATED, replace(seen(127), inconclusive="jq was not found")],
            DeliverableHistory((replace(CHECKED, checks=(replace(CHECK, why=UNKNOWN),)),)),
        ),
        (
            [CREATED, replace(seen(127), inconclusive="jq was not found"), seen(1)],
            DeliverableHistory((replace(CHECKED, checks=(RED,)),)),
        ),
        # grades, of a claim and of a pass
        (
            [SPEC_CREATED, seen(1), LOWER],
            DeliverableHistory((replace(CHECKED, checks=(SELF_TESTED,)),)),
        ),
        (
            [SPEC_CREATED, seen(1), BEST, PROVEN],
            DeliverableHistory(
                (replace(PASSED, checks=(PINNED,)),),
                changes=(PROVEN,),
                passed_this_round=("DL-1",),
            ),
        ),
        (
            [SPEC_CREATED, seen(1), BEST, PROVEN, LOWER],
            DeliverableHistory(
                (replace(PASSED, checks=(SELF_TESTED,), proof="self-tested"),),
                changes=(PROVEN,),
                passed_this_round=("DL-1",),
            ),
        ),
        (
            [
                SPEC_CREATED,
                seen(1),
                BEST,
                PROVEN,
                replace(BEST, grade="self-tested", why="2 tests of yours fail"),
            ],
            DeliverableHistory(
                (
                    replace(
                        PASSED,
                        checks=(PINNED,),
                        proof="self-tested",
                        why="2 tests of yours fail",
                    ),
                ),
                changes=(PROVEN,),
                passed_this_round=("DL-1",),
            ),
        ),
        # no grade outlives its pass
        (
            [SPEC_CREATED, seen(1), BEST, PROVEN, RESET],
            DeliverableHistory(
                (replace(CHECKED, checks=(replace(PINNED, pinned=""),)),),
                changes=(PROVEN, RESET),
            ),
        ),
        # nothing is better than its checks can give
        (
            [CREATED, seen(1), BEST, replace(PROVEN, proof="self-tested"), BEST],
            DeliverableHistory(
                (replace(PASSED, checks=(replace(RED, pinned="passed"),), proof="self-tested"),),
                changes=(replace(PROVEN, proof="self-tested"),),
                passed_this_round=("DL-1",),
            ),
        ),
        # a pass that was proven before there were grades
        (
            [SPEC_CREATED, seen(1), PROVEN],
            DeliverableHistory(
                (replace(PASSED, checks=(PINNED,)),),
                changes=(PROVEN,),
                passed_this_round=("DL-1",),
            ),
        ),
        # a pass that was stored before there were proofs
        (
            [StatusAdopted((replace(claimed("DL-1"), proof=None),), "earlier_run")],
            DeliverableHistory((claimed("DL-1"),)),
        ),
    ],
)
def test_each_event_adds_what_it_says(told: list[Event], known: DeliverableHistory) -> None:
    found = history_of(*told)

    assert (
        DeliverableHistory(
            found.deliverables,
            found.changes,
            found.added_checks,
            found.passed_this_round,
            found.claimed_this_round,
        )
        == known
    )


RESULT = RunResult("max_iterations", 1, Tally(total=1), 0.5, Usage(), 60.0, "one round")


@pytest.mark.parametrize(
    ("after", "claimed"),
    [
        ([RoundStarted(2, "coding")], ()),
        ([RunEnded(RESULT), RunReopened("resume", RUN_LIMITS)], ("DL-1",)),
    ],
)
def test_a_claim_is_over_when_a_round_follows_and_not_with_the_run(
    after: list[Event], claimed: tuple[str, ...]
) -> None:
    assert history_of(CREATED, CLAIMED, *after).claimed_this_round == claimed


def test_what_was_added_before_a_run_was_reopened_is_in_the_file() -> None:
    found = history_of(CREATED, ADDED, RunEnded(RESULT), RunReopened("resume", RUN_LIMITS))

    assert (found.added_checks, found.deliverables) == ((), (CHECKED,))


def test_events_about_a_deliverable_that_nobody_knows_change_nothing() -> None:
    for event in (ADDED, seen(1), WITHDRAWN, BEST):
        assert apply_deliverable(DeliverableHistory(), event).deliverables == ()


def test_what_checks_have_taken_is_time_of_the_run_and_of_its_leg() -> None:
    reopened = RunReopened("resume", RUN_LIMITS)

    assert history_of(seen(1), seen(0)).running_s == 1.0
    assert history_of(seen(1), RunEnded(RESULT), reopened, seen(0)).running_s == (
        RESULT.duration_s + 0.5
    )
