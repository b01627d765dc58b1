"""Breakers and quota gates, the same for every store: of two changes at once exactly one counts."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path
from threading import Barrier, Thread

import pytest

from tests.builders import NOON
from tests.postgres import ON_POSTGRES, PostgresServer
from treadle.adapters.stores.database import Database, open_database
from treadle.adapters.stores.service_health import (
    DatabaseBreakers,
    DatabaseQuotaBlocks,
    MemoryBreakers,
    MemoryQuotaBlocks,
)
from treadle.domain.service_health import BreakerStore, CircuitBreaker, QuotaBlock, QuotaBlockStore
from treadle.domain.storage import Storage

API = "model API"
OPEN = CircuitBreaker(
    API,
    failures=3,
    until=NOON + timedelta(minutes=5, microseconds=7),
    probe="run",
    reason="it failed: “überlastet”",
    reporter="session",
)
SPENT = QuotaBlock("mark", NOON + timedelta(hours=5), "You've hit your limit", NOON)


POSTGRES = pytest.param("postgres", marks=ON_POSTGRES)


def storage_of(kind: str, request: pytest.FixtureRequest, root: Path) -> Storage:
    """Where a database of this kind is that nobody else uses."""
    if kind == "sqlite":
        return Storage(root)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return Storage(root, server.new_database())


@pytest.fixture(params=["sqlite", POSTGRES])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return storage_of(request.param, request, tmp_path)


@pytest.fixture
def database(storage: Storage) -> Iterator[Database]:
    with closing(open_database(storage)) as opened:
        yield opened


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def breakers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BreakerStore]:
    if request.param == "memory":
        yield MemoryBreakers()
        return
    with closing(open_database(storage_of(request.param, request, tmp_path))) as opened:
        yield DatabaseBreakers(opened)


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def gates(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[QuotaBlockStore]:
    if request.param == "memory":
        yield MemoryQuotaBlocks()
        return
    with closing(open_database(storage_of(request.param, request, tmp_path))) as opened:
        yield DatabaseQuotaBlocks(opened)


def test_a_service_that_nobody_reported_on_has_a_fresh_breaker(breakers: BreakerStore) -> None:
    assert breakers.read(API) == CircuitBreaker(API)


def test_a_breaker_is_kept_as_it_is_beside_those_of_other_services(breakers: BreakerStore) -> None:
    assert breakers.swap(CircuitBreaker(API), OPEN)
    assert breakers.swap(CircuitBreaker("forge"), CircuitBreaker("forge", failures=1))

    assert breakers.read(API) == replace(OPEN, version=1)
    assert breakers.read("forge") == CircuitBreaker("forge", failures=1, version=1)


def test_a_breaker_changes_only_from_what_was_read(breakers: BreakerStore) -> None:
    first = breakers.read(API)
    assert breakers.swap(first, replace(first, failures=1))
    assert not breakers.swap(first, replace(first, failures=1))

    second = breakers.read(API)
    assert breakers.swap(second, replace(second, failures=2))
    assert not breakers.swap(second, OPEN)
    assert breakers.read(API) == CircuitBreaker(API, failures=2, version=2)


def test_a_closed_breaker_is_not_taken_for_a_fresh_one(breakers: BreakerStore) -> None:
    breakers.swap(CircuitBreaker(API), OPEN)
    opened = breakers.read(API)
    breakers.swap(opened, CircuitBreaker(API, version=opened.version))

    assert not breakers.swap(CircuitBreaker(API), OPEN)
    assert breakers.read(API) == CircuitBreaker(API, version=2)


def test_a_credential_without_a_report_has_no_gate(gates: QuotaBlockStore) -> None:
    assert gates.read("mark") is None


def test_a_gate_is_kept_until_it_is_opened(gates: QuotaBlockStore) -> None:
    assert gates.block(None, SPENT)
    closed = gates.read("mark")
    assert (closed, gates.read("another")) == (replace(SPENT, version=1), None)

    assert closed is not None
    assert gates.unblock(closed)
    assert gates.read("mark") is None


def test_a_gate_changes_only_from_what_was_read(gates: QuotaBlockStore) -> None:
    later = replace(SPENT, closed_until=SPENT.closed_until + timedelta(days=1))
    gates.block(None, SPENT)
    closed = gates.read("mark")
    assert closed is not None

    assert not gates.block(None, later)
    assert gates.block(closed, later)
    assert not gates.block(closed, SPENT)
    assert not gates.unblock(closed)
    assert gates.read("mark") == replace(later, version=2)


def test_a_gate_that_was_opened_and_closed_again_is_another(gates: QuotaBlockStore) -> None:
    gates.block(None, SPENT)
    first = gates.read("mark")
    assert first is not None
    gates.unblock(first)
    again = replace(SPENT, reported_at=NOON + timedelta(hours=6))
    gates.block(None, again)

    assert not gates.unblock(first)
    assert not gates.block(first, SPENT)
    assert gates.read("mark") == replace(again, version=1)


def test_moments_mean_the_same_whatever_their_time_zone(database: Database) -> None:
    gates = DatabaseQuotaBlocks(database)
    tokyo = timezone(timedelta(hours=9))
    gates.block(None, replace(SPENT, closed_until=SPENT.closed_until.astimezone(tokyo)))

    assert gates.read("mark") == replace(SPENT, version=1)


def test_a_reason_may_hold_anything_that_an_agent_says(database: Database) -> None:
    breakers = DatabaseBreakers(database)
    breakers.swap(CircuitBreaker(API), replace(OPEN, reason="half \ud83d and \0"))

    assert breakers.read(API).reason == "half � and  "


def test_of_many_changes_at_once_each_counts_once(storage: Storage) -> None:
    start = Barrier(4)

    def add_five() -> None:
        with closing(open_database(storage)) as opened:
            breakers, added = DatabaseBreakers(opened), 0
            start.wait()
            while added < 5:
                before = breakers.read(API)
                added += breakers.swap(before, replace(before, failures=before.failures + 1))

    with closing(open_database(storage)) as opened:
        threads = [Thread(target=add_five) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert DatabaseBreakers(opened).read(API) == CircuitBreaker(API, failures=20, version=20)
