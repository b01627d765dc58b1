"""What a `focus` run does next, and how a session or a review moves it on."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.builders import RUN_LIMITS
from treadle.domain.run import ExitReason
from treadle.domain.session import Crashed, ExecutionError, Outcome, QuotaExceeded
from treadle.workflows.deliver.decisions import Step, Stop, WaitForQuota, Work
from treadle.workflows.deliver.next_step import Rules
from treadle.workflows.deliver.progress import Progress
from treadle.workflows.focus.next_step import next_step
from treadle.workflows.focus.stage import (
    Reviewed,
    ReviewOutcome,
    Stage,
    Turned,
    after_review,
    after_session,
    is_reviewed,
)

RULES = Rules(replace(RUN_LIMITS, max_iterations=3, max_retries=1), wait_for_quota=True)
SIX = datetime(2026, 5, 4, 18, tzinfo=UTC)
APPROVED = Stop("approved")


@pytest.mark.parametrize(
    ("stage", "step"),
    [
        (Stage(), Work("planning")),
        (Stage(phase="implementing"), Work("task")),
        (Stage(phase="reviewing"), Work("review")),
        (Stage(phase="reviewing", stop=APPROVED), APPROVED),
        (Stage(phase="implementing", sessions=2), Work("task")),
        (
            Stage(phase="implementing", sessions=3),
            Stop(
                "max_iterations",
                "one round may take 3 sessions (--max-iterations, limits.max_iterations)",
            ),
        ),
    ],
)
def test_the_stage_says_what_comes_next(stage: Stage, step: Step) -> None:
    assert next_step(Progress(rounds=stage.complete), stage, RULES) == step


@pytest.mark.parametrize(
    ("progress", "reason"),
    [
        (Progress(stopping="interrupted"), "interrupted"),  # an approval waits for the next leg
        (Progress(last=ExecutionError("log in", "authentication")), "authentication"),
        (Progress(cost_usd=999.0), "approved"),  # what is approved is done, whatever it cost
    ],
)
def test_what_ends_every_run_goes_before_an_approval_and_limits_behind_it(
    progress: Progress, reason: ExitReason
) -> None:
    step = next_step(progress, Stage(stop=APPROVED), RULES)

    assert isinstance(step, Stop)
    assert step.reason == reason


@pytest.mark.parametrize(
    ("last", "progress", "reason"),
    [
        (None, Progress(cost_usd=999.0), "budget_exceeded"),
        (None, Progress(rounds=3), "max_iterations"),
        (Crashed("gone", 1), Progress(consecutive_errors=2), "max_retries_exceeded"),
    ],
)
def test_the_limits_of_a_run_hold(
    last: Outcome | None, progress: Progress, reason: ExitReason
) -> None:
    step = next_step(replace(progress, last=last), Stage(), RULES)

    assert isinstance(step, Stop)
    assert step.reason == reason


def test_a_spent_quota_is_waited_for() -> None:
    progress = Progress(last=QuotaExceeded("spent", SIX))

    assert next_step(progress, Stage(), RULES) == WaitForQuota(SIX, "spent")


PLANNING, BUILDING, JUDGING = (
    Stage(),
    Stage(phase="implementing", plans=1),
    Stage(phase="reviewing", plans=1),
)


@pytest.mark.parametrize(
    ("stage", "turned", "moved", "after"),
    [
        (
            PLANNING,
            Turned("plan_complete", handed_over=True),
            False,
            replace(PLANNING, phase="implementing", plans=1),
        ),
        (PLANNING, Turned("plan_complete"), False, PLANNING),  # nothing was handed over
        (PLANNING, Turned(), False, PLANNING),
        (BUILDING, Turned("progress"), True, replace(BUILDING, tasks=1)),
        (BUILDING, Turned("progress"), False, BUILDING),  # a task without a change is none
        (BUILDING, Turned("done"), True, replace(BUILDING, phase="reviewing", tasks=1)),
        (BUILDING, Turned(), True, BUILDING),
        (JUDGING, Turned("approved"), False, JUDGING),
        (
            JUDGING,
            Turned("spec_issue", issue="a.md"),
            False,
            replace(
                JUDGING,
                stop=Stop("spec_issue", "the specifications need a person; the issue is in a.md"),
            ),
        ),
    ],
)
def test_a_session_moves_the_run_on_by_its_signal(
    stage: Stage, turned: Turned, moved: bool, after: Stage
) -> None:
    assert after_session(stage, turned, moved=moved) == replace(after, sessions=1)


@pytest.mark.parametrize(
    ("stage", "turned", "reviewed"),
    [
        (JUDGING, Turned("approved"), True),
        (JUDGING, Turned("request_changes", handed_over=True), True),
        (JUDGING, Turned("request_changes"), False),
        (JUDGING, Turned(), False),
        (BUILDING, Turned("approved"), False),
    ],
)
def test_a_review_can_be_judged_when_its_findings_are_there(
    stage: Stage, turned: Turned, reviewed: bool
) -> None:
    assert is_reviewed(stage, turned) is reviewed


@pytest.mark.parametrize(
    ("outcome", "after"),
    [
        ("approved", replace(JUDGING, reviews=1, stop=Stop("approved", "why"))),
        ("changes", replace(JUDGING, number=2, phase="planning", reviews=1)),
        ("given_up", replace(JUDGING, reviews=1, stop=Stop("max_iterations", "why"))),
        ("tests_failed", replace(JUDGING, reviews=1, stop=Stop("tests_failed", "why"))),
        ("cut", JUDGING),
    ],
)
def test_a_review_ends_the_round_or_the_run(outcome: ReviewOutcome, after: Stage) -> None:
    assert after_review(JUDGING, Reviewed(outcome, "why")) == after


def test_a_round_is_over_with_its_review_and_with_the_run() -> None:
    stages = (Stage(), Stage(number=3), Stage(number=3, stop=APPROVED))

    assert [stage.complete for stage in stages] == [0, 2, 3]
