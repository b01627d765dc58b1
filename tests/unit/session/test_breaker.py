"""A service that fails again and again is left alone, then tried by one run before all use it."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import NOON
from treadle.domain.events.oversight import BreakerClosed, BreakerOpened
from treadle.domain.ids import SessionId
from treadle.domain.service_health import CircuitBreaker
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
from treadle.session.breaker import (
    REST,
    BreakerEvent,
    BreakerState,
    ServiceAvailable,
    ServiceResult,
    ServiceUnavailable,
    admit_run,
    report_session,
    service_result,
    state_of,
)

API = "model API"
DOWN = ExecutionError("Overloaded\n(529)", "retryable", of_service=True)
FINE = Completed("done")
HANGS = TimedOut("idle", 600)
REASON = "it failed 3 times in a row, the last time with: Overloaded (529)"
OPEN = CircuitBreaker(API, failures=3, until=NOON + REST, reason=REASON, reporter="s3")
LEFT_ALONE = ServiceUnavailable(NOON + REST, f"{API} is left alone: {REASON}")


def ended(outcome: Outcome, session: str = "s") -> SessionResult:
    return SessionResult(SessionId(session), outcome, 0.0, Usage(), 1, 60.0)


def minutes(count: float) -> datetime:
    return NOON + timedelta(minutes=count)


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        (FINE, "worked"),
        (MaxTurns(9), "worked"),
        (BudgetExceeded(1.0), "worked"),
        (DOWN, "failed"),
        (ExecutionError("429", "rate_limited", of_service=True), "failed"),
        (ExecutionError("Prompt is too long", "retryable"), None),
        (ExecutionError("not logged in", "authentication"), None),
        (ExecutionError("no credit", "fatal"), None),
        (QuotaExceeded("You've hit your limit", None), None),
        (HANGS, None),
        (Cancelled(), None),
        (Crashed("segfault", 139), None),
    ],
)
def test_only_failures_of_the_service_itself_count(outcome: Outcome, says: ServiceResult) -> None:
    assert service_result(outcome) == says


def test_the_third_failure_in_a_row_opens_the_breaker() -> None:
    breaker, news = CircuitBreaker(API), list[BreakerEvent]()
    for session in ("s1", "s2", "s3"):
        told = report_session(breaker, "run", ended(DOWN, session), NOON)
        breaker, news = told.breaker, [*news, told.event]

    assert breaker == OPEN
    assert news == [None, None, BreakerOpened(API, REASON, NOON + REST)]


def test_a_session_that_gets_through_in_between_clears_the_count() -> None:
    breaker = CircuitBreaker(API)
    outcomes: list[Outcome] = [DOWN, DOWN, FINE, DOWN, DOWN]
    for session, outcome in enumerate(outcomes):
        breaker = report_session(breaker, "run", ended(outcome, str(session)), NOON).breaker

    assert (breaker.failures, breaker.until) == (2, None)


@pytest.mark.parametrize(
    ("breaker", "now", "state", "run"),
    [
        (CircuitBreaker(API), minutes(0), "closed", ServiceAvailable(CircuitBreaker(API))),
        (OPEN, minutes(0), "open", LEFT_ALONE),
        (OPEN, minutes(4.99), "open", LEFT_ALONE),
        (
            OPEN,
            minutes(5),
            "half_open",
            ServiceAvailable(replace(OPEN, probe="run", until=minutes(10))),
        ),
    ],
)
def test_an_open_breaker_lets_nobody_through_until_its_rest_is_over(
    breaker: CircuitBreaker,
    now: datetime,
    state: BreakerState,
    run: ServiceAvailable | ServiceUnavailable,
) -> None:
    assert (state_of(breaker, now), admit_run(breaker, "run", now)) == (state, run)


PROBED = replace(OPEN, probe="run", until=minutes(10))


@pytest.mark.parametrize(
    ("run", "now", "admitted"),
    [
        ("run", minutes(6), True),  # asks again after a crash
        ("other", minutes(6), False),
        ("other", minutes(10), True),  # the first one was never heard of again
    ],
)
def test_one_run_at_a_time_tries_the_service(run: str, now: datetime, admitted: bool) -> None:
    assert state_of(PROBED, now) == "half_open"
    assert isinstance(admit_run(PROBED, run, now), ServiceAvailable) == admitted


def test_a_breaker_of_before_the_clock_was_set_back_is_tried_at_once() -> None:
    set_back = minutes(-61)

    assert state_of(OPEN, minutes(-60)) == "open"
    assert state_of(OPEN, set_back) == "half_open"
    assert admit_run(OPEN, "a", set_back) == ServiceAvailable(
        replace(OPEN, probe="a", until=set_back + REST)
    )
    failed = report_session(OPEN, "a", ended(DOWN, "s4"), set_back).breaker
    assert failed.until == set_back + REST


def test_a_trial_that_works_closes_the_breaker() -> None:
    told = report_session(PROBED, "run", ended(FINE), minutes(7))

    assert (told.breaker, told.event) == (CircuitBreaker(API, reporter="s"), BreakerClosed(API))


def test_a_trial_that_fails_opens_it_for_as_long_again() -> None:
    told = report_session(PROBED, "run", ended(DOWN), minutes(7))

    reason = REASON.replace("3 times", "4 times")
    assert told.breaker == CircuitBreaker(API, 4, minutes(12), reason=reason, reporter="s")
    assert told.event == BreakerOpened(API, reason, minutes(12))


@pytest.mark.parametrize(
    ("run", "after"),
    [("run", replace(PROBED, probe="", until=minutes(7))), ("other", PROBED)],
)
def test_a_trial_without_a_verdict_leaves_the_turn_to_another(
    run: str, after: CircuitBreaker
) -> None:
    told = report_session(PROBED, run, ended(HANGS), minutes(7))

    assert (told.breaker, told.event) == (after, None)


def test_sessions_that_began_before_it_opened_make_the_rest_no_longer() -> None:
    told = report_session(OPEN, "other", ended(DOWN), minutes(3))

    assert (told.breaker, told.event) == (replace(OPEN, failures=4), None)


@pytest.mark.parametrize("breaker", [CircuitBreaker(API), CircuitBreaker(API, 2), OPEN, PROBED])
@pytest.mark.parametrize("outcome", [DOWN, FINE, HANGS])
def test_a_report_made_twice_counts_once_and_says_the_same(
    breaker: CircuitBreaker, outcome: Outcome
) -> None:
    once = report_session(breaker, "run", ended(outcome), minutes(7))
    twice = report_session(once.breaker, "run", ended(outcome), minutes(8))

    assert twice == once


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from([DOWN, FINE, HANGS]))))
def test_a_service_is_never_left_alone_for_longer_than_its_rest(
    reports: list[tuple[str, Outcome]],
) -> None:
    breaker = CircuitBreaker(API)
    for n, (run, outcome) in enumerate(reports):
        now = minutes(n)
        admission = admit_run(breaker, run, now)
        if isinstance(admission, ServiceUnavailable):
            assert now < admission.until <= now + REST
            continue
        breaker = report_session(admission.breaker, run, ended(outcome, str(n)), now).breaker
        assert (breaker.until is None) or breaker.failures >= 3
