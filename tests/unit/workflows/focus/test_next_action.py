"""What a `focus` run does next, and how a session or a review moves it on."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.builders import RUN_LIMITS
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.session import Crashed, ExecutionError, Outcome, QuotaExceeded
from treadle.workflows.focus.next_action import decide_next
from treadle.workflows.focus.phases import (
    PhaseState,
    ReviewOutcome,
    ReviewVerdict,
    SessionVerdict,
    after_review,
    after_session,
    has_review,
)
from treadle.workflows.loop.next_action import (
    DecisionRules,
    NextAction,
    RunSession,
    StopRun,
    WaitForQuota,
)
from treadle.workflows.loop.run_progress import RunProgress

RULES = DecisionRules(replace(RUN_LIMITS, max_iterations=3, max_retries=1), wait_for_quota=True)
SIX = datetime(2026, 5, 4, 18, tzinfo=UTC)
APPROVED = StopRun("approved")


@pytest.mark.parametrize(
    ("phase", "step"),
    [
        (PhaseState(), RunSession("planning")),
        (PhaseState(phase="implementing"), RunSession("task")),
        (PhaseState(phase="reviewing"), RunSession("review")),
        (PhaseState(phase="reviewing", stop=APPROVED), APPROVED),
        (PhaseState(phase="implementing", sessions=2), RunSession("task")),
        (
            PhaseState(phase="implementing", sessions=3),
            StopRun(
                "max_iterations",
                "one round may take 3 sessions (--max-iterations, limits.max_iterations)",
            ),
        ),
    ],
)
def test_the_phase_decides_what_comes_next(phase: PhaseState, step: NextAction) -> None:
    assert decide_next(RunProgress(rounds=phase.complete), phase, RULES) == step


@pytest.mark.parametrize(
    ("progress", "reason"),
    [
        (RunProgress(stopping="interrupted"), "interrupted"),  # an approval waits for the next leg
        (RunProgress(last=ExecutionError("log in", "authentication")), "authentication"),
        (RunProgress(cost_usd=999.0), "approved"),  # what is approved is done, whatever it cost
    ],
)
def test_what_ends_every_run_goes_before_an_approval_and_limits_behind_it(
    progress: RunProgress, reason: ExitReason
) -> None:
    step = decide_next(progress, PhaseState(stop=APPROVED), RULES)

    assert isinstance(step, StopRun)
    assert step.reason == reason


@pytest.mark.parametrize(
    ("last", "progress", "reason"),
    [
        (None, RunProgress(cost_usd=999.0), "budget_exceeded"),
        (None, RunProgress(rounds=3), "max_iterations"),
        (Crashed("gone", 1), RunProgress(consecutive_errors=2), "max_retries_exceeded"),
    ],
)
def test_the_limits_of_a_run_hold(
    last: Outcome | None, progress: RunProgress, reason: ExitReason
) -> None:
    step = decide_next(replace(progress, last=last), PhaseState(), RULES)

    assert isinstance(step, StopRun)
    assert step.reason == reason


def test_a_spent_quota_is_waited_for() -> None:
    progress = RunProgress(last=QuotaExceeded("spent", SIX))

    assert decide_next(progress, PhaseState(), RULES) == WaitForQuota(SIX, "spent")


PLANNING, BUILDING, JUDGING = (
    PhaseState(),
    PhaseState(phase="implementing", plans=1),
    PhaseState(phase="reviewing", plans=1),
)


@pytest.mark.parametrize(
    ("phase", "turned", "moved", "after"),
    [
        (
            PLANNING,
            SessionVerdict("plan_complete", handed_over=True),
            False,
            replace(PLANNING, phase="implementing", plans=1),
        ),
        (PLANNING, SessionVerdict("plan_complete"), False, PLANNING),  # nothing was handed over
        (PLANNING, SessionVerdict(), False, PLANNING),
        (BUILDING, SessionVerdict("progress"), True, replace(BUILDING, tasks=1)),
        (BUILDING, SessionVerdict("progress"), False, BUILDING),  # a task without a change is none
        (BUILDING, SessionVerdict("done"), True, replace(BUILDING, phase="reviewing", tasks=1)),
        (BUILDING, SessionVerdict(), True, BUILDING),
        (JUDGING, SessionVerdict("approved"), False, JUDGING),
        (
            JUDGING,
            SessionVerdict("spec_issue", issue="a.md"),
            False,
            replace(
                JUDGING,
                stop=StopRun(
                    "spec_issue", "the specifications need a person; the issue is in a.md"
                ),
            ),
        ),
    ],
)
def test_a_session_moves_the_run_on_by_its_signal(
    phase: PhaseState, turned: SessionVerdict, moved: bool, after: PhaseState
) -> None:
    assert after_session(phase, turned, files_changed=moved) == replace(after, sessions=1)


@pytest.mark.parametrize(
    ("phase", "turned", "reviewed"),
    [
        (JUDGING, SessionVerdict("approved"), True),
        (JUDGING, SessionVerdict("request_changes", handed_over=True), True),
        (JUDGING, SessionVerdict("request_changes"), False),
        (JUDGING, SessionVerdict(), False),
        (BUILDING, SessionVerdict("approved"), False),
    ],
)
def test_a_review_can_be_judged_when_its_findings_are_there(
    phase: PhaseState, turned: SessionVerdict, reviewed: bool
) -> None:
    assert has_review(phase, turned) is reviewed


@pytest.mark.parametrize(
    ("outcome", "after"),
    [
        ("approved", replace(JUDGING, reviews=1, stop=StopRun("approved", "why"))),
        ("changes", replace(JUDGING, number=2, phase="planning", reviews=1)),
        ("given_up", replace(JUDGING, reviews=1, stop=StopRun("max_iterations", "why"))),
        ("tests_failed", replace(JUDGING, reviews=1, stop=StopRun("tests_failed", "why"))),
        ("cut", JUDGING),
    ],
)
def test_a_review_ends_the_round_or_the_run(outcome: ReviewOutcome, after: PhaseState) -> None:
    assert after_review(JUDGING, ReviewVerdict(outcome, "why")) == after


def test_a_round_is_over_with_its_review_and_with_the_run() -> None:
    stages = (PhaseState(), PhaseState(number=3), PhaseState(number=3, stop=APPROVED))

    assert [phase.complete for phase in stages] == [0, 2, 3]
