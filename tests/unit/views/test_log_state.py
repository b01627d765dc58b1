"""The state of a run as its log leaves it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.builders import RUN
from tests.unit.cli.sample_runs import START, STARTED, ended, recorded, session_ended, state_after
from tests.unit.cli.sample_verified_runs import ADD, OPEN, SUM, checked, claimed
from treadle.domain.approval import make_approval
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import ApprovalAnswered, ApprovalAsked
from treadle.domain.events.run import RoundStarted, RunReopened
from treadle.domain.events.work import CommitsKept, SetupFinished
from treadle.domain.session import Completed
from treadle.views.log_state import LogState, apply_event
from treadle.views.round_text import Phase
from treadle.workflows.loop.plan_question import plan_question

GREEN = checked(ADD, SUM, "after", 0)


@pytest.mark.parametrize(
    ("events", "phase"),
    [
        ([session_ended(Completed("x"))], "between rounds"),
        ([claimed(ADD), session_ended(Completed("x"))], "checking"),
        (
            [claimed(ADD), RoundStarted(2, "coding"), session_ended(Completed("x"))],
            "between rounds",
        ),
        ([session_ended(Completed("x")), GREEN], "checking"),
        ([session_ended(Completed("x")), OPEN], "checking"),
        ([GREEN, RoundStarted(2, "coding")], "starting"),
    ],
)
def test_the_phase_says_when_checks_run(events: list[Event], phase: Phase) -> None:
    assert state_after(*events).phase == phase


def test_the_time_between_an_end_and_a_reopening_is_not_running_time() -> None:
    reopened = RunReopened("resume", STARTED.limits)
    [begun, over, *again] = recorded(
        [STARTED, ended("stuck", Tally()), reopened, RoundStarted(2, "coding")]
    )
    state = LogState()
    for each in (begun, over, *(replace(each, at=START + timedelta(days=2)) for each in again)):
        state = apply_event(state, each)

    assert state.elapsed_s(START + timedelta(days=2, minutes=1)) == 3661.0 + 60


def test_waiting_for_a_person_is_no_running_time() -> None:
    question = plan_question("# A plan", None)
    asked = make_approval(question, run=RUN, step="1: plan 1", now=START)
    [*begun, waits, answered] = recorded(
        [
            STARTED,
            RoundStarted(1, "planning"),
            ApprovalAsked(asked),
            ApprovalAnswered(asked.id, "approved", "ada"),
        ]
    )
    minute = timedelta(minutes=1)
    state = LogState()
    at_start = [replace(each, at=START) for each in begun]
    for each in (*at_start, replace(waits, at=START + minute)):
        state = apply_event(state, each)
    while_waiting = state.elapsed_s(START + 15 * minute)
    state = apply_event(state, replace(answered, at=START + 16 * minute))

    assert (while_waiting, state.elapsed_s(START + 18 * minute)) == (60.0, 180.0)


FAILED = SetupFinished("make", 2, 1.0, "")
WORKED = SetupFinished("make", 0, 1.0, "")
FAILED_ON_COMMIT, WORKED_ON_COMMIT = (
    replace(FAILED, commit="0123abc"),
    replace(WORKED, commit="0123abc"),
)


@pytest.mark.parametrize(
    ("events", "failed"),
    [
        ([FAILED], FAILED),
        ([FAILED, WORKED], None),
        # A clean checkout says nothing about the workspace.
        ([FAILED, WORKED_ON_COMMIT], FAILED),
        ([FAILED_ON_COMMIT], FAILED_ON_COMMIT),
        ([FAILED_ON_COMMIT, WORKED_ON_COMMIT], None),
        ([FAILED_ON_COMMIT, WORKED], None),
    ],
)
def test_a_failed_setup_counts_until_one_succeeds_there(
    events: list[Event], failed: SetupFinished | None
) -> None:
    assert state_after(*events).failed_setup == failed


def test_the_dropped_commits_of_all_rounds_are_counted_together() -> None:
    state = state_after(
        CommitsKept("/store", ("dropped/1", "dropped/2"), 3),
        CommitsKept("/store", ("dropped/3",), 1),
    )

    expected = CommitsKept("/store", ("dropped/1", "dropped/2", "dropped/3"), 4)
    assert state.dropped == expected
