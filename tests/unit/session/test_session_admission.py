"""A run asks the shared gates before each session and tells them how it ended."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
from pydantic import TypeAdapter

from tests.builders import NOON, FakeClock
from treadle.adapters.stores.service_health import MemoryBreakers, MemoryQuotaBlocks
from treadle.domain.events.oversight import BreakerClosed, BreakerOpened
from treadle.domain.ids import RunId, SessionId
from treadle.domain.service_health import CircuitBreaker, QuotaBlock
from treadle.domain.session import Completed, ExecutionError, Outcome, QuotaExceeded, SessionResult
from treadle.domain.usage import Usage
from treadle.session.session_admission import (
    SessionAdmission,
    StartDecision,
    StartNow,
    WaitUntil,
    model_service_name,
)

API = "model API"
DOWN = ExecutionError("overloaded", "retryable", of_service=True)
REASON = "it failed 3 times in a row, the last time with: overloaded"
SPENT = QuotaExceeded("You've hit your limit", NOON + timedelta(hours=1))


@dataclass
class Runs:
    """Several runs on one database, and the time on the wall."""

    now: datetime = NOON
    breakers: MemoryBreakers = field(default_factory=MemoryBreakers)
    quota: MemoryQuotaBlocks = field(default_factory=MemoryQuotaBlocks)
    sessions: int = 0

    def run(self, name: str, *, jitter: float = 0.0, credential: str = "key") -> SessionAdmission:
        return SessionAdmission(
            breakers=self.breakers,
            quota=self.quota,
            run=RunId(name),
            service=API,
            credential=credential,
            clock=FakeClock(self.now, (self.now - NOON).total_seconds()),
            jitter=lambda: jitter,
            margin_s=60.0,
        )

    def ended(self, outcome: Outcome, *, took_s: float = 10.0) -> SessionResult:
        self.sessions += 1
        session = SessionId(f"s{self.sessions}")
        return SessionResult(session, outcome, 0.0, Usage(), 1, took_s)

    def later(self, **span: float) -> None:
        self.now += timedelta(**span)


def test_nothing_stands_in_the_way_of_a_first_session() -> None:
    assert Runs().run("a").before_session() == StartNow()


def test_a_limit_that_one_run_meets_makes_all_runs_with_that_credential_wait() -> None:
    runs = Runs()
    assert runs.run("a").after_session(runs.ended(SPENT)) == ()

    reset = NOON + timedelta(hours=1, seconds=60)
    waits = [
        runs.run("a").before_session(),
        runs.run("b", jitter=0.5).before_session(),
        runs.run("c", credential="another").before_session(),
    ]
    assert waits == [
        WaitUntil(reset, SPENT.message, "quota", seconds=3660),
        WaitUntil(reset + timedelta(seconds=5), SPENT.message, "quota", seconds=3665),
        StartNow(),
    ]


def test_a_session_that_gets_through_opens_the_gate_but_an_older_one_does_not() -> None:
    runs = Runs()
    runs.run("a").after_session(runs.ended(SPENT))
    runs.later(seconds=30)

    runs.run("b").after_session(runs.ended(Completed(""), took_s=600))
    assert isinstance(runs.run("b").before_session(), WaitUntil)

    runs.run("b").after_session(runs.ended(Completed(""), took_s=20))
    assert runs.run("a").before_session() == StartNow()


def test_a_service_that_fails_three_runs_is_tried_by_one_of_them_later() -> None:
    runs = Runs()
    told = [runs.run(name).after_session(runs.ended(DOWN)) for name in "abc"]
    until = NOON + timedelta(minutes=5)
    assert told == [(), (), (BreakerOpened(API, REASON, until),)]
    assert runs.run("d").before_session() == WaitUntil(
        until, f"{API} is left alone: {REASON}", "breaker", seconds=300
    )

    runs.later(minutes=5)
    first, second = runs.run("a").before_session(), runs.run("b").before_session()
    assert first == StartNow()
    assert isinstance(second, WaitUntil)

    assert runs.run("a").after_session(runs.ended(Completed(""))) == (BreakerClosed(API),)
    assert runs.run("b").before_session() == StartNow()


def test_a_run_that_waits_for_quota_takes_no_turn_at_a_failing_service() -> None:
    runs = Runs()
    for name in "abc":
        runs.run(name).after_session(runs.ended(DOWN))
    runs.run("a").after_session(runs.ended(SPENT))
    runs.later(minutes=6)

    assert isinstance(runs.run("a").before_session(), WaitUntil)
    assert runs.run("b", credential="another").before_session() == StartNow()


class HurriedBreakers(MemoryBreakers):
    """Another run changes the breaker between each first reading and the swap."""

    def __init__(self) -> None:
        super().__init__()
        self.hurried = True

    def swap(self, before: CircuitBreaker, after: CircuitBreaker) -> bool:
        if self.hurried:
            self.hurried = False
            super().swap(before, replace(before, failures=before.failures + 1, reporter="other"))
        return super().swap(before, after)


class HurriedQuotaGates(MemoryQuotaBlocks):
    """Another run closes the gate for longer between the first reading and the closing."""

    def block(self, before: QuotaBlock | None, after: QuotaBlock) -> bool:
        if before is None:
            longer = after.closed_until + timedelta(days=3)
            super().block(None, replace(after, closed_until=longer, reported_at=NOON))
        return super().block(before, after)


def test_what_another_run_reports_in_the_same_moment_is_not_lost() -> None:
    runs = Runs(breakers=HurriedBreakers(), quota=HurriedQuotaGates())
    runs.run("a").after_session(runs.ended(DOWN))
    runs.run("a").after_session(runs.ended(SPENT))

    gate = runs.quota.read("key")
    assert runs.breakers.read(API).failures == 2
    assert gate is not None
    assert gate.closed_until == NOON + timedelta(days=3, hours=1)


@pytest.mark.parametrize("passage", [StartNow(), WaitUntil(NOON, "why", "quota")])
def test_an_answer_can_be_kept_as_the_result_of_a_step(passage: StartDecision) -> None:
    adapter: TypeAdapter[StartDecision] = TypeAdapter(StartDecision)

    assert adapter.validate_json(adapter.dump_json(passage)) == passage


@pytest.mark.parametrize(
    ("address", "service"),
    [
        ("", "model API"),
        ("http://127.0.0.1:4321/secret-path", "model API at 127.0.0.1:4321"),
        ("https://user:password@gateway.example", "model API at gateway.example"),
    ],
)
def test_every_address_of_the_service_has_a_name_of_its_own_without_secrets(
    address: str, service: str
) -> None:
    assert model_service_name(address) == service
