"""Limits nest: a session gets what the run has left, a run what the day has left; each is named."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import SESSION_LIMITS
from treadle.domain.deliverable import Tally
from treadle.domain.events.oversight import LimitNeared
from treadle.domain.limits import RunLimits
from treadle.domain.session import ExecutionError, TimedOut
from treadle.workflows.loop.limit_checks import (
    in_own_names,
    limit_reached,
    limit_warnings,
    remaining_limits,
    session_allowance,
)
from treadle.workflows.loop.next_action import StopRun
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.stuck import RoundFacts

LIMITS = RunLimits(
    max_cost_usd=10, max_minutes=60, max_iterations=10, max_retries=3, day_cost_usd=100
)
SESSION = replace(SESSION_LIMITS, max_cost_usd=5, wall_s=1800)

MONEY = StopRun("budget_exceeded", "the limit is $10.00 (--max-cost, limits.max_cost_usd)")
DAY = StopRun("budget_exceeded", "the limit of all runs is $100.00 a day (limits.day_cost_usd)")
TIME = StopRun("time_exceeded", "the limit is 60 minutes (--max-minutes, limits.max_minutes)")
ROUNDS = StopRun(
    "max_iterations", "the limit is 10 rounds (--max-iterations, limits.max_iterations)"
)
BROKEN = ExecutionError("broken", "retryable")


@pytest.mark.parametrize(
    ("facts", "stop"),
    [
        ({}, None),
        ({"cost_usd": 10.0}, MONEY),
        ({"cost_usd": 1000.0}, MONEY),
        ({"cost_usd": 9.99}, None),
        ({"others_today_usd": 100.0}, DAY),
        ({"others_today_usd": 95.0, "cost_usd": 5.0}, DAY),
        ({"others_today_usd": 95.0, "cost_usd": 4.99}, None),
        ({"others_today_usd": 95.0, "cost_usd": 8.0, "before_today_usd": 4.0}, None),
        ({"others_today_usd": 95.0, "cost_usd": 9.0, "before_today_usd": 4.0}, DAY),
        ({"others_today_usd": 95.0, "cost_usd": 10.0}, MONEY),
        ({"running_s": 3600.0}, TIME),
        ({"rounds": 10}, ROUNDS),
        (
            {"consecutive_errors": 4, "last": BROKEN},
            StopRun(
                "max_retries_exceeded",
                "broken, after 3 retries in a row (--max-retries, limits.max_retries)",
            ),
        ),
        (
            {"consecutive_errors": 4, "last": TimedOut("wall", 60)},
            StopRun(
                "max_retries_exceeded",
                "the session was ended by its wall limit after 60 s, after 3 retries in a row "
                "(--max-retries, limits.max_retries)",
            ),
        ),
        ({"consecutive_errors": 3, "last": BROKEN}, None),
        ({"last": ExecutionError("no credit", "fatal")}, StopRun("error", "no credit")),
    ],
)
def test_a_limit_that_ends_a_run_is_named_with_its_value_and_what_raises_it(
    facts: dict[str, Any], stop: StopRun | None
) -> None:
    assert limit_reached(RunProgress(**facts), LIMITS) == stop


BEFORE = RoundFacts(0, "tree", Tally(total=1), "criteria")
IDLE = tuple(replace(BEFORE, number=n, session_s=60.0) for n in range(6))
HANGING = tuple(replace(each, ended="hung") for each in IDLE[:4])


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"history": IDLE}, "stuck"),
        ({"history": IDLE[:-1]}, None),
        ({"history": HANGING}, "hung"),
        ({"history": HANGING[:-1]}, None),
        ({"history": IDLE, "rounds": 10}, "max_iterations"),
        ({"history": HANGING, "consecutive_errors": 4}, "max_retries_exceeded"),
        ({"history": IDLE, "last": ExecutionError("no credit", "fatal")}, "error"),
    ],
)
def test_a_run_that_gets_nowhere_is_ended_after_every_other_reason(
    facts: dict[str, Any], reason: str | None
) -> None:
    stop = limit_reached(RunProgress(**facts), LIMITS)

    assert (stop.reason if stop else None) == reason


def test_one_of_a_kind_is_said_so() -> None:
    one = replace(LIMITS, max_iterations=1, max_retries=1)

    assert limit_reached(RunProgress(rounds=1), one) == StopRun(
        "max_iterations", "the limit is 1 round (--max-iterations, limits.max_iterations)"
    )
    assert limit_reached(RunProgress(consecutive_errors=2, last=BROKEN), one) == StopRun(
        "max_retries_exceeded",
        "broken, after 1 retry in a row (--max-retries, limits.max_retries)",
    )


@pytest.mark.parametrize(
    ("facts", "cost_usd", "wall_s"),
    [
        ({}, 5, 1800),
        ({"cost_usd": 7.0}, 3, 1800),
        ({"others_today_usd": 90.0, "cost_usd": 6.0}, 4, 1800),
        ({"others_today_usd": 98.0}, 2, 1800),
        ({"others_today_usd": 98.0, "cost_usd": 5.0, "before_today_usd": 4.5}, 1.5, 1800),
        ({"running_s": 3000.0}, 5, 600),
        ({"others_today_usd": 200.0}, 0.01, 1800),  # another run was quicker
        ({"running_s": 3600.0}, 5, 1),
    ],
)
def test_a_session_gets_what_the_run_and_the_day_have_left(
    facts: dict[str, Any], cost_usd: float, wall_s: float
) -> None:
    expected = replace(SESSION, max_cost_usd=cost_usd, wall_s=wall_s)

    assert session_allowance(SESSION, LIMITS, RunProgress(**facts)) == expected


@pytest.mark.parametrize(
    ("used_usd", "seconds", "cost_usd", "wall_s"),
    [
        (0.0, 0.0, 5, 1800),
        (1.5, 600.0, 3.5, 1200),
        (5.0, 1800.0, 0.01, 1),  # it ends with its next response, and not before it began
        (9.0, 3600.0, 0.01, 1),
    ],
)
def test_a_session_that_was_cut_off_gets_what_it_had_left(
    used_usd: float, seconds: float, cost_usd: float, wall_s: float
) -> None:
    expected = replace(SESSION, max_cost_usd=cost_usd, wall_s=wall_s)

    assert remaining_limits(SESSION, cost_usd=used_usd, seconds=seconds) == expected


COST_NEAR = LimitNeared("limits.max_cost_usd", 8.0, 10)
DAY_NEAR = LimitNeared("limits.day_cost_usd", 80.0, 100)


@pytest.mark.parametrize(
    ("facts", "said", "warnings"),
    [
        ({}, (), ()),
        ({"cost_usd": 7.99}, (), ()),
        ({"cost_usd": 8.0}, (), (COST_NEAR,)),
        ({"cost_usd": 9.0}, ("limits.max_cost_usd",), ()),
        ({"cost_usd": 10.0}, (), ()),  # reached: that is said by the end
        ({"others_today_usd": 80.0}, (), (DAY_NEAR,)),
        ({"others_today_usd": 72.0, "cost_usd": 8.0}, (), (COST_NEAR, DAY_NEAR)),
        (
            {"others_today_usd": 72.0, "cost_usd": 8.0},
            ("limits.day_cost_usd",),
            (COST_NEAR,),
        ),
        ({"running_s": 2880.0}, (), (LimitNeared("limits.max_minutes", 48.0, 60),)),
        ({"rounds": 7}, (), ()),
        ({"rounds": 8}, (), (LimitNeared("limits.max_iterations", 8, 10),)),
    ],
)
def test_a_limit_is_warned_of_once_when_four_fifths_are_used(
    facts: dict[str, Any], said: tuple[str, ...], warnings: tuple[LimitNeared, ...]
) -> None:
    assert limit_warnings(RunProgress(**facts), LIMITS, said, {}) == warnings


OWN = {"limits.max_cost_usd": "execution.max_cost_usd"}


def test_a_limit_is_named_as_the_workflow_calls_it() -> None:
    near, over = RunProgress(cost_usd=8.0), RunProgress(cost_usd=10.0)
    stop = limit_reached(over, LIMITS)

    assert limit_warnings(near, LIMITS, (), OWN) == (
        LimitNeared("execution.max_cost_usd", 8.0, 10),
    )
    assert limit_warnings(near, LIMITS, ("execution.max_cost_usd",), OWN) == ()
    assert stop is not None
    assert in_own_names(stop, OWN) == StopRun(
        "budget_exceeded", "the limit is $10.00 (--max-cost, execution.max_cost_usd)"
    )


@given(
    st.floats(0, 20),
    st.floats(0, 200),
    st.floats(0, 7200),
)
def test_no_session_gets_more_than_any_limit_around_it(
    cost_usd: float, others_usd: float, running_s: float
) -> None:
    progress = RunProgress(cost_usd=cost_usd, others_today_usd=others_usd, running_s=running_s)
    given_out = session_allowance(SESSION, LIMITS, progress)

    if limit_reached(progress, LIMITS) is None:
        slack = 0.01 + 1e-6  # a session gets a cent, or a second, where less is left
        assert given_out.max_cost_usd <= SESSION.max_cost_usd
        assert given_out.max_cost_usd + cost_usd <= LIMITS.max_cost_usd + slack
        assert given_out.max_cost_usd + cost_usd + others_usd <= LIMITS.day_cost_usd + slack
        assert given_out.wall_s + running_s <= LIMITS.max_minutes * 60 + 1
