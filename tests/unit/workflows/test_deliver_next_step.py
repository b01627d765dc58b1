"""What a `deliver` run does next: the first reason to end it that holds, else wait or work."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import values_of
from treadle.domain.deliverable import Tally
from treadle.domain.events.run import Instruction
from treadle.domain.ids import SessionId
from treadle.domain.run import RunLimits
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
from treadle.workflows.deliver.next_step import (
    Progress,
    Rules,
    Step,
    Stop,
    WaitForQuota,
    Work,
    after_session,
    failure,
    next_step,
)

LIMITS = RunLimits(max_cost_usd=5, max_minutes=10, max_iterations=4, max_retries=3)
SIX = datetime(2026, 5, 4, 18, tzinfo=UTC)

QUOTA = QuotaExceeded("You've hit your limit", SIX)
NO_LOGIN = ExecutionError("not logged in", "authentication")
NO_CREDIT = ExecutionError("no credit", "fatal")
OVERLOADED = ExecutionError("overloaded", "retryable")

# Each reason alone: what makes it hold, and how the run then ends. In the order of precedence.
INTERRUPTED: dict[str, Any] = {"interrupted": True}
AUTHENTICATION: dict[str, Any] = {"last": NO_LOGIN}
QUOTA_EXCEEDED: dict[str, Any] = {"last": QUOTA}
ALL_PASSED: dict[str, Any] = {"tally": Tally(passed=2, blocked=1, total=3)}
ALL_BLOCKED: dict[str, Any] = {"tally": Tally(blocked=2, total=2)}
BUDGET: dict[str, Any] = {"cost_usd": 5.0}
TIME: dict[str, Any] = {"running_s": 600.0}
ROUNDS: dict[str, Any] = {"rounds": 4}
ERROR: dict[str, Any] = {"last": NO_CREDIT, "consecutive_errors": 1}
RETRIES: dict[str, Any] = {"last": OVERLOADED, "consecutive_errors": 4}

SOME: dict[str, Any] = {"tally": Tally(passed=1, total=3), "rounds": 1}
STOPPED = Stop("interrupted")
LOGIN_NEEDED = Stop("authentication", "not logged in")
QUOTA_SPENT = Stop("quota_exceeded", "You've hit your limit")
MONEY_SPENT = Stop("budget_exceeded", "the run may cost $5.00")
TIME_SPENT = Stop("time_exceeded", "the run may take 10 minutes")
ROUNDS_SPENT = Stop("max_iterations", "the run may take 4 rounds")
FATAL = Stop("error", "no credit")
GIVEN_UP = Stop("max_retries_exceeded", "overloaded")
WAITING = WaitForQuota(SIX, "You've hit your limit")


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        # nothing to stop for
        ({}, Work("initializer")),
        ({"rounds": 1, "last": Completed("")}, Work("initializer")),
        (SOME, Work("coding")),
        ({"tally": Tally(total=1)}, Work("coding")),
        ({"tally": Tally(blocked=1, total=2)}, Work("coding")),
        # each reason alone
        (INTERRUPTED, STOPPED),
        (AUTHENTICATION, LOGIN_NEEDED),
        (QUOTA_EXCEEDED, QUOTA_SPENT),
        (ALL_PASSED, Stop("all_passed")),
        ({"tally": Tally(passed=2, total=2)}, Stop("all_passed")),
        (ALL_BLOCKED, Stop("all_blocked")),
        (BUDGET, MONEY_SPENT),
        (TIME, TIME_SPENT),
        (ROUNDS, ROUNDS_SPENT),
        (ERROR, FATAL),
        (RETRIES, GIVEN_UP),
        # each reason with the next one: the first wins
        (INTERRUPTED | AUTHENTICATION, STOPPED),
        (AUTHENTICATION | ALL_PASSED, LOGIN_NEEDED),
        (QUOTA_EXCEEDED | ALL_PASSED, QUOTA_SPENT),
        (ALL_PASSED | BUDGET, Stop("all_passed")),
        (ALL_BLOCKED | BUDGET, Stop("all_blocked")),
        (BUDGET | TIME, MONEY_SPENT),
        (TIME | ROUNDS, TIME_SPENT),
        (ROUNDS | ERROR, ROUNDS_SPENT),
        (ERROR | {"consecutive_errors": 4}, FATAL),
        # and with some further down
        (INTERRUPTED | QUOTA_EXCEEDED, STOPPED),
        (INTERRUPTED | ALL_PASSED, STOPPED),
        (INTERRUPTED | RETRIES, STOPPED),
        (QUOTA_EXCEEDED | ALL_BLOCKED, QUOTA_SPENT),
        (QUOTA_EXCEEDED | BUDGET, QUOTA_SPENT),
        (ALL_PASSED | RETRIES, Stop("all_passed")),
        (ALL_PASSED | ROUNDS, Stop("all_passed")),
        (ALL_BLOCKED | ERROR, Stop("all_blocked")),
        (BUDGET | RETRIES, MONEY_SPENT),
        (TIME | RETRIES, TIME_SPENT),
        (ROUNDS | RETRIES, ROUNDS_SPENT),
        # just below each limit
        (SOME | {"cost_usd": 4.999999}, Work("coding")),
        (SOME | {"running_s": 599.9}, Work("coding")),
        (SOME | {"rounds": 3}, Work("coding")),
        (SOME | RETRIES | {"consecutive_errors": 3}, Work("coding")),
        # outcomes that are no reason to end
        (SOME | {"last": MaxTurns(50)}, Work("coding")),
        (SOME | {"last": BudgetExceeded(1.0)}, Work("coding")),
        (SOME | {"last": TimedOut("idle", 600)}, Work("coding")),
        (SOME | {"last": Crashed("segfault", 139)}, Work("coding")),
        (SOME | {"last": ExecutionError("429", "rate_limited")}, Work("coding")),
    ],
)
def test_the_first_reason_that_holds_ends_the_run(facts: dict[str, Any], step: Step) -> None:
    assert next_step(Progress(**facts), Rules(LIMITS, wait_for_quota=False)) == step


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        (QUOTA_EXCEEDED, WAITING),
        ({"last": QuotaExceeded("limit", None)}, WaitForQuota(None, "limit")),
        (SOME | QUOTA_EXCEEDED, WAITING),
        (INTERRUPTED | QUOTA_EXCEEDED, STOPPED),
        (QUOTA_EXCEEDED | ALL_PASSED, Stop("all_passed")),
        (QUOTA_EXCEEDED | ALL_BLOCKED, Stop("all_blocked")),
        (QUOTA_EXCEEDED | BUDGET, MONEY_SPENT),
        (QUOTA_EXCEEDED | TIME, TIME_SPENT),
        (QUOTA_EXCEEDED | ROUNDS, ROUNDS_SPENT),
        (AUTHENTICATION, LOGIN_NEEDED),
        (SOME, Work("coding")),
    ],
)
def test_a_run_that_may_wait_for_quota_does_so_unless_it_would_end_anyway(
    facts: dict[str, Any], step: Step
) -> None:
    assert next_step(Progress(**facts), Rules(LIMITS, wait_for_quota=True)) == step


def result_of(outcome: Outcome, *, cost_usd: float = 0.5, priced: bool = True) -> SessionResult:
    usage = Usage(10, 20, 30, 40)
    return SessionResult(SessionId("s"), outcome, cost_usd, usage, 3, 7.0, priced)


FAILED_TWICE = Progress(rounds=2, consecutive_errors=2, cost_usd=1.0, running_s=60.0)


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
    assert after_session(FAILED_TWICE, result_of(outcome)) == Progress(
        rounds=rounds,
        consecutive_errors=errors,
        cost_usd=1.5,
        usage=Usage(10, 20, 30, 40),
        running_s=67.0,
        last=outcome,
    )


def test_one_session_without_a_known_price_makes_the_whole_cost_an_estimate() -> None:
    once = after_session(Progress(), result_of(Completed(""), priced=False))

    assert (once.priced, after_session(once, result_of(Completed(""))).priced) == (False, False)


def test_the_fourth_error_in_a_row_ends_a_run_that_may_retry_three_times() -> None:
    rules = Rules(replace(LIMITS, max_iterations=100), wait_for_quota=True)
    progress, steps = Progress(tally=Tally(total=1)), []
    for outcome in (OVERLOADED, OVERLOADED, QUOTA, OVERLOADED, OVERLOADED):
        progress = after_session(progress, result_of(outcome, cost_usd=0.0))
        steps.append(next_step(progress, rules))

    assert steps == [Work("coding"), Work("coding"), WAITING, Work("coding"), GIVEN_UP]


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
    assert failure(outcome) == words


def tallies() -> st.SearchStrategy[Tally]:
    part = st.integers(0, 3)
    return st.builds(
        lambda passed, blocked, pending: Tally(passed, blocked, passed + blocked + pending),
        part,
        part,
        part,
    )


@st.composite
def any_progress(draw: st.DrawFn) -> Progress:
    return Progress(
        tally=draw(tallies()),
        rounds=draw(st.integers(0, 6)),
        consecutive_errors=draw(st.integers(0, 6)),
        cost_usd=draw(st.floats(0, 8)),
        running_s=draw(st.floats(0, 900)),
        interrupted=draw(st.booleans()),
        last=draw(st.none() | values_of(Outcome)),
    )


@settings(deadline=None)
@given(any_progress(), st.booleans())
def test_no_work_is_begun_once_a_limit_is_reached_or_everything_is_decided(
    progress: Progress, wait: bool
) -> None:
    step = next_step(progress, Rules(LIMITS, wait_for_quota=wait))

    assert isinstance(step, Work | WaitForQuota | Stop)
    if isinstance(step, Stop):
        return
    assert not progress.interrupted
    assert progress.cost_usd < LIMITS.max_cost_usd
    assert progress.running_s < LIMITS.max_minutes * 60
    assert progress.rounds < LIMITS.max_iterations
    assert progress.consecutive_errors <= LIMITS.max_retries
    assert progress.tally.pending > 0 or progress.tally.total == 0
    assert isinstance(step, WaitForQuota) == isinstance(progress.last, QuotaExceeded)


@settings(deadline=None)
@given(tallies())
def test_a_session_plans_until_there_are_deliverables_and_codes_from_then_on(
    counted: Tally,
) -> None:
    step = next_step(Progress(tally=counted), Rules(LIMITS, wait_for_quota=False))

    if isinstance(step, Work):
        wanted: Instruction = "coding" if counted.total else "initializer"
        assert step == Work(wanted)
