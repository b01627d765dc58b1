"""What a `deliver` run does next: the first reason to end it that holds, else wait or work."""

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import values_of
from treadle.domain.deliverable import Tally
from treadle.domain.events.run import Instruction
from treadle.domain.limits import RunLimits
from treadle.domain.session import (
    BudgetExceeded,
    Completed,
    Crashed,
    ExecutionError,
    MaxTurns,
    Outcome,
    QuotaExceeded,
    SandboxError,
    TimedOut,
    UnguardedTool,
)
from treadle.session.stop_signal import StopReason
from treadle.workflows.deliver.next_action import NOTHING_TO_DO, decide_next
from treadle.workflows.loop.limit_checks import MAX_WAITS
from treadle.workflows.loop.next_action import (
    DecisionRules,
    NextAction,
    RunSession,
    StopRun,
    WaitForQuota,
)
from treadle.workflows.loop.run_progress import RunProgress

LIMITS = RunLimits(max_cost_usd=5, max_minutes=10, max_iterations=4, max_retries=3)
SIX = datetime(2026, 5, 4, 18, tzinfo=UTC)

QUOTA = QuotaExceeded("You've hit your limit", SIX)
NO_LOGIN = ExecutionError("not logged in", "authentication")
NO_CREDIT = ExecutionError("no credit", "fatal")
OVERLOADED = ExecutionError("overloaded", "retryable")

# Each reason alone: what makes it hold, and how the run then ends. In the order of precedence.
INTERRUPTED: dict[str, Any] = {"stopping": "interrupted"}
AUTHENTICATION: dict[str, Any] = {"last": NO_LOGIN}
QUOTA_EXCEEDED: dict[str, Any] = {"last": QUOTA}
ALL_PASSED: dict[str, Any] = {"tally": Tally(passed=2, blocked=1, total=3), "rounds": 1}
ALL_BLOCKED: dict[str, Any] = {"tally": Tally(blocked=2, total=2)}
BUDGET: dict[str, Any] = {"cost_usd": 5.0}
TIME: dict[str, Any] = {"running_s": 600.0}
ROUNDS: dict[str, Any] = {"rounds": 4}
ERROR: dict[str, Any] = {"last": NO_CREDIT, "consecutive_errors": 1}
RETRIES: dict[str, Any] = {"last": OVERLOADED, "consecutive_errors": 4}
OUTDATED: dict[str, Any] = {"plan_outdated": True}

SOME: dict[str, Any] = {"tally": Tally(passed=1, total=3), "rounds": 1}
STOPPED = StopRun("interrupted")
LOGIN_NEEDED = StopRun("authentication", "not logged in")
NO_SANDBOX: dict[str, Any] = {"last": SandboxError("bubblewrap is not installed")}
UNCONFINED = StopRun("sandbox_error", "bubblewrap is not installed")
UNASKED: dict[str, Any] = {"last": UnguardedTool("Bash")}
UNTRUSTED = StopRun(
    "unguarded_tool",
    "the agent used Bash without asking, so nothing it did can be relied on",
)
QUOTA_SPENT = StopRun("quota_exceeded", "You've hit your limit")
MONEY_SPENT = StopRun("budget_exceeded", "the limit is $5.00 (--max-cost, limits.max_cost_usd)")
TIME_SPENT = StopRun("time_exceeded", "the limit is 10 minutes (--max-minutes, limits.max_minutes)")
ROUNDS_SPENT = StopRun(
    "max_iterations", "the limit is 4 rounds (--max-iterations, limits.max_iterations)"
)
FATAL = StopRun("error", "no credit")
GIVEN_UP = StopRun(
    "max_retries_exceeded",
    "overloaded, after 3 retries in a row (--max-retries, limits.max_retries)",
)
WAITING = WaitForQuota(SIX, "You've hit your limit")
WAITED_ENOUGH = StopRun("quota_exceeded", "You've hit your limit (after 50 pauses in a row)")


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        # nothing to stop for
        ({}, RunSession("initializer")),
        ({"rounds": 1, "last": Completed("")}, RunSession("initializer")),
        (SOME, RunSession("coding")),
        ({"tally": Tally(total=1)}, RunSession("coding")),
        ({"tally": Tally(blocked=1, total=2)}, RunSession("coding")),
        # each reason alone
        (INTERRUPTED, STOPPED),
        ({"stopping": "cancelled"}, StopRun("cancelled")),
        (AUTHENTICATION, LOGIN_NEEDED),
        (NO_SANDBOX, UNCONFINED),
        (ALL_PASSED | NO_SANDBOX, UNCONFINED),
        (UNASKED, UNTRUSTED),
        (ALL_PASSED | UNASKED, UNTRUSTED),
        (QUOTA_EXCEEDED, QUOTA_SPENT),
        (ALL_PASSED, StopRun("all_passed")),
        ({"tally": Tally(passed=2, total=2), "rounds": 1}, StopRun("all_passed")),
        (ALL_PASSED | {"rounds": 0}, StopRun("all_passed", NOTHING_TO_DO)),
        (ALL_BLOCKED, StopRun("all_blocked")),
        (BUDGET, MONEY_SPENT),
        (TIME, TIME_SPENT),
        (ROUNDS, ROUNDS_SPENT),
        (ERROR, FATAL),
        (RETRIES, GIVEN_UP),
        # each reason with the next one: the first wins
        (INTERRUPTED | AUTHENTICATION, STOPPED),
        (AUTHENTICATION | ALL_PASSED, LOGIN_NEEDED),
        (QUOTA_EXCEEDED | ALL_PASSED, QUOTA_SPENT),
        (ALL_PASSED | BUDGET, StopRun("all_passed")),
        (ALL_BLOCKED | BUDGET, StopRun("all_blocked")),
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
        (ALL_PASSED | RETRIES, StopRun("all_passed")),
        (ALL_PASSED | ROUNDS, StopRun("all_passed")),
        (ALL_BLOCKED | ERROR, StopRun("all_blocked")),
        (BUDGET | RETRIES, MONEY_SPENT),
        (TIME | RETRIES, TIME_SPENT),
        (ROUNDS | RETRIES, ROUNDS_SPENT),
        # a plan for another specification is made anew, whatever its deliverables say
        (OUTDATED, RunSession("initializer")),
        (SOME | OUTDATED, RunSession("initializer")),
        (ALL_PASSED | OUTDATED, RunSession("initializer")),
        (ALL_BLOCKED | OUTDATED, RunSession("initializer")),
        # and within the same limits as all other work
        (ALL_PASSED | OUTDATED | INTERRUPTED, STOPPED),
        (ALL_PASSED | OUTDATED | AUTHENTICATION, LOGIN_NEEDED),
        (ALL_PASSED | OUTDATED | QUOTA_EXCEEDED, QUOTA_SPENT),
        (ALL_PASSED | OUTDATED | BUDGET, MONEY_SPENT),
        (ALL_PASSED | OUTDATED | TIME, TIME_SPENT),
        (ALL_PASSED | OUTDATED | ROUNDS, ROUNDS_SPENT),
        (ALL_PASSED | OUTDATED | ERROR, FATAL),
        (ALL_PASSED | OUTDATED | RETRIES, GIVEN_UP),
        # just below each limit
        (SOME | {"cost_usd": 4.999999}, RunSession("coding")),
        (SOME | {"running_s": 599.9}, RunSession("coding")),
        (SOME | {"rounds": 3}, RunSession("coding")),
        (SOME | RETRIES | {"consecutive_errors": 3}, RunSession("coding")),
        # outcomes that are no reason to end
        (SOME | {"last": MaxTurns(50)}, RunSession("coding")),
        (SOME | {"last": BudgetExceeded(1.0)}, RunSession("coding")),
        (SOME | {"last": TimedOut("idle", 600)}, RunSession("coding")),
        (SOME | {"last": Crashed("segfault", 139)}, RunSession("coding")),
        (SOME | {"last": ExecutionError("429", "rate_limited")}, RunSession("coding")),
    ],
)
def test_the_first_reason_that_holds_ends_the_run(facts: dict[str, Any], step: NextAction) -> None:
    assert decide_next(RunProgress(**facts), DecisionRules(LIMITS, wait_for_quota=False)) == step


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        (QUOTA_EXCEEDED, WAITING),
        ({"last": QuotaExceeded("limit", None)}, WaitForQuota(None, "limit")),
        (SOME | QUOTA_EXCEEDED, WAITING),
        (INTERRUPTED | QUOTA_EXCEEDED, STOPPED),
        (QUOTA_EXCEEDED | ALL_PASSED, StopRun("all_passed")),
        (QUOTA_EXCEEDED | ALL_PASSED | {"rounds": 0}, StopRun("all_passed")),
        (QUOTA_EXCEEDED | ALL_PASSED | OUTDATED, WAITING),
        (QUOTA_EXCEEDED | {"waits": MAX_WAITS - 1}, WAITING),
        (QUOTA_EXCEEDED | {"waits": MAX_WAITS}, WAITED_ENOUGH),
        (QUOTA_EXCEEDED | {"waits": MAX_WAITS + 1} | INTERRUPTED, STOPPED),
        (QUOTA_EXCEEDED | {"waits": MAX_WAITS} | ALL_PASSED, WAITED_ENOUGH),
        (SOME | {"waits": MAX_WAITS}, RunSession("coding")),
        (QUOTA_EXCEEDED | ALL_BLOCKED, StopRun("all_blocked")),
        (QUOTA_EXCEEDED | BUDGET, MONEY_SPENT),
        (QUOTA_EXCEEDED | TIME, TIME_SPENT),
        (QUOTA_EXCEEDED | ROUNDS, ROUNDS_SPENT),
        (AUTHENTICATION, LOGIN_NEEDED),
        (SOME, RunSession("coding")),
    ],
)
def test_a_run_that_may_wait_for_quota_does_so_unless_it_would_end_anyway(
    facts: dict[str, Any], step: NextAction
) -> None:
    assert decide_next(RunProgress(**facts), DecisionRules(LIMITS, wait_for_quota=True)) == step


def tallies() -> st.SearchStrategy[Tally]:
    part = st.integers(0, 3)
    return st.builds(
        lambda passed, blocked, pending: Tally(passed, blocked, passed + blocked + pending),
        part,
        part,
        part,
    )


@st.composite
def any_progress(draw: st.DrawFn) -> RunProgress:
    return RunProgress(
        tally=draw(tallies()),
        rounds=draw(st.integers(0, 6)),
        consecutive_errors=draw(st.integers(0, 6)),
        cost_usd=draw(st.floats(0, 8)),
        running_s=draw(st.floats(0, 900)),
        stopping=draw(st.sampled_from(get_args(StopReason))),
        last=draw(st.none() | values_of(Outcome)),
        plan_outdated=draw(st.booleans()),
        waits=draw(st.integers(0, MAX_WAITS + 1)),
    )


@settings(deadline=None)
@given(any_progress(), st.booleans())
def test_no_work_is_begun_once_a_limit_is_reached_or_everything_is_decided(
    progress: RunProgress, wait: bool
) -> None:
    step = decide_next(progress, DecisionRules(LIMITS, wait_for_quota=wait))

    assert isinstance(step, RunSession | WaitForQuota | StopRun)
    if isinstance(step, StopRun):
        return
    assert not progress.stopping
    assert progress.cost_usd < LIMITS.max_cost_usd
    assert progress.running_s < LIMITS.max_minutes * 60
    assert progress.rounds < LIMITS.max_iterations
    assert progress.consecutive_errors <= LIMITS.max_retries
    assert progress.tally.pending > 0 or progress.tally.total == 0 or progress.plan_outdated
    assert isinstance(step, WaitForQuota) == isinstance(progress.last, QuotaExceeded)
    assert isinstance(step, RunSession) or progress.waits < MAX_WAITS


@settings(deadline=None)
@given(tallies(), st.booleans())
def test_a_session_plans_until_there_are_deliverables_for_this_specification_and_codes_then(
    counted: Tally, outdated: bool
) -> None:
    progress = RunProgress(tally=counted, plan_outdated=outdated)
    step = decide_next(progress, DecisionRules(LIMITS, wait_for_quota=False))

    if isinstance(step, RunSession):
        wanted: Instruction = "coding" if counted.total and not outdated else "initializer"
        assert step == RunSession(wanted)
