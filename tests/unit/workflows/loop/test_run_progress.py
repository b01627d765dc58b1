"""What one session adds to the progress of a `deliver` run, and which ends count as failures."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from treadle.domain.deliverable import Tally
from treadle.domain.ids import SessionId
from treadle.domain.limits import RunLimits
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    Crashed,
    ExecutionError,
    MaxTurns,
    Outcome,
    QuotaExceeded,
    SessionResult,
    TimedOut,
)
from treadle.domain.usage import Usage
from treadle.workflows.deliver.next_action import decide_next
from treadle.workflows.loop.next_action import DecisionRules, RunSession, StopRun, WaitForQuota
from treadle.workflows.loop.run_progress import RunProgress, after_session, failure_message

LIMITS = RunLimits(max_cost_usd=5, max_minutes=10, max_iterations=4, max_retries=3)
SIX = datetime(2026, 5, 4, 18, tzinfo=UTC)
QUOTA = QuotaExceeded("You've hit your limit", SIX)
NO_LOGIN = ExecutionError("not logged in", "authentication")
NO_CREDIT = ExecutionError("no credit", "fatal")
OVERLOADED = ExecutionError("overloaded", "retryable")
GIVEN_UP = StopRun(
    "max_retries_exceeded",
    "overloaded, after 3 retries in a row (--max-retries, limits.max_retries)",
)
WAITING = WaitForQuota(SIX, "You've hit your limit")


def result_of(outcome: Outcome, *, cost_usd: float = 0.5, priced: bool = True) -> SessionResult:
    usage = Usage(10, 20, 30, 40)
    return SessionResult(SessionId("s"), outcome, cost_usd, usage, 3, 7.0, priced)


FAILED_TWICE = RunProgress(rounds=2, consecutive_errors=2, cost_usd=1.0, running_s=60.0)


@pytest.mark.parametrize(
    ("outcome", "rounds", "errors"),
    [
        (Completed("fine"), 3, 0),
        (MaxTurns(50), 3, 0),
        (BudgetExceeded(1.0), 3, 0),
        (OVERLOADED, 3, 3),
        (NO_CREDIT, 3, 3),
        (NO_LOGIN, 3, 3),
        (ExecutionError("429", "rate_limited"), 3, 3),
        (Crashed("segfault", 139), 3, 3),
        (TimedOut("tool", 60), 3, 3),
        (Cancelled(), 3, 2),
        (QUOTA, 2, 2),
    ],
)
def test_errors_in_a_row_are_counted_success_clears_them_and_quota_leaves_no_trace(
    outcome: Outcome, rounds: int, errors: int
) -> None:
    assert after_session(FAILED_TWICE, result_of(outcome)) == RunProgress(
        rounds=rounds,
        consecutive_errors=errors,
        cost_usd=1.5,
        usage=Usage(10, 20, 30, 40),
        running_s=67.0,
        last=outcome,
    )


@pytest.mark.parametrize(
    ("outcome", "waits"),
    [(QUOTA, 7), (Completed(""), 0), (OVERLOADED, 0), (Cancelled(), 0), (MaxTurns(50), 0)],
)
def test_only_pauses_in_a_row_are_counted(outcome: Outcome, waits: int) -> None:
    paused = RunProgress(waits=7, plan_outdated=True)

    after = after_session(paused, result_of(outcome))

    assert (after.waits, after.plan_outdated) == (waits, True)


def test_one_session_without_a_known_price_makes_the_whole_cost_an_estimate() -> None:
    once = after_session(RunProgress(), result_of(Completed(""), priced=False))

    assert (once.priced, after_session(once, result_of(Completed(""))).priced) == (False, False)


def test_the_fourth_error_in_a_row_ends_a_run_that_may_retry_three_times() -> None:
    rules = DecisionRules(replace(LIMITS, max_iterations=100), wait_for_quota=True)
    progress, steps = RunProgress(tally=Tally(total=1)), []
    for outcome in (OVERLOADED, OVERLOADED, QUOTA, OVERLOADED, OVERLOADED):
        progress = after_session(progress, result_of(outcome, cost_usd=0.0))
        steps.append(decide_next(progress, rules))

    assert steps == [
        RunSession("coding"),
        RunSession("coding"),
        WAITING,
        RunSession("coding"),
        GIVEN_UP,
    ]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (None, None),
        (Completed("x"), None),
        (QUOTA, None),
        (Cancelled(), None),
        (MaxTurns(9), None),
        (BudgetExceeded(1), None),
        (OVERLOADED, "overloaded"),
        (Crashed("segfault", 139), "segfault"),
        (
            TimedOut("first_byte", 120.0),
            "the session was ended by its first_byte limit after 120 s",
        ),
    ],
)
def test_a_failure_has_words_and_everything_else_has_none(
    outcome: Outcome | None, words: str | None
) -> None:
    assert failure_message(outcome) == words
