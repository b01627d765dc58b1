"""Breakers and quota gates, the same for every store: of two changes at once exactly one counts."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path
from threading import Barrier, Thread

import pytest

from tests.builders import NOON
from tests.postgres import PostgresServer
from treadle.adapters.stores.breakers import StoredBreakers
from treadle.adapters.stores.database import Database, open_database
from treadle.adapters.stores.memory_gates import MemoryBreakers, MemoryQuotaGates
from treadle.adapters.stores.quota_gate import StoredQuotaGates
from treadle.domain.gates import Breaker, Breakers, QuotaGate, QuotaGates
from treadle.domain.storage import Storage

API = "model API"
OPEN = Breaker(
    API,
    failures=3,
    until=NOON + timedelta(minutes=5, microseconds=7),
    probe="run",
    reason="it failed: “überlastet”",
    reporter="session",
)
SPENT = QuotaGate("mark", NOON + timedelta(hours=5), "You've hit your limit", NOON)


POSTGRES = pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))


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
def breakers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Breakers]:
    if request.param == "memory":
        yield MemoryBreakers()
        return
    with closing(open_database(storage_of(request.param, request, tmp_path))) as opened:
        yield StoredBreakers(opened)


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def gates(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[QuotaGates]:
    if request.param == "memory":
        yield MemoryQuotaGates()
        return
    with closing(open_database(storage_of(request.param, request, tmp_path))) as opened:
        yield StoredQuotaGates(opened)


def test_a_service_that_nobody_reported_on_has_a_fresh_breaker(breakers: Breakers) -> None:
    assert breakers.read(API) == Breaker(API)


def test_a_breaker_is_kept_as_it_is_beside_those_of_other_services(breakers: Breakers) -> None:
    assert breakers.swap(Breaker(API), OPEN)
    assert breakers.swap(Breaker("forge"), Breaker("forge", failures=1))

    assert breakers.read(API) == replace(OPEN, version=1)
    assert breakers.read("forge") == Breaker("forge", failures=1, version=1)


def test_a_breaker_changes_only_from_what_was_read(breakers: Breakers) -> None:
    first = breakers.read(API)
    assert breakers.swap(first, replace(first, failures=1))
    assert not breakers.swap(first, replace(first, failures=1))

    second = breakers.read(API)
    assert breakers.swap(second, replace(second, failures=2))
    assert not breakers.swap(second, OPEN)
    assert breakers.read(API) == Breaker(API, failures=2, version=2)


def test_a_closed_breaker_is_not_taken_for_a_fresh_one(breakers: Breakers) -> None:
    breakers.swap(Breaker(API), OPEN)
    opened = breakers.read(API)
    breakers.swap(opened, Breaker(API, version=opened.version))

    assert not breakers.swap(Breaker(API), OPEN)
    assert breakers.read(API) == Breaker(API, version=2)


def test_a_credential_without_a_report_has_no_gate(gates: QuotaGates) -> None:
    assert gates.read("mark") is None


def test_a_gate_is_kept_until_it_is_opened(gates: QuotaGates) -> None:
    assert gates.close(None, SPENT)
    closed = gates.read("mark")
    assert (closed, gates.read("another")) == (replace(SPENT, version=1), None)

    assert closed is not None
    assert gates.open(closed)
    assert gates.read("mark") is None


def test_a_gate_changes_only_from_what_was_read(gates: QuotaGates) -> None:
    later = replace(SPENT, closed_until=SPENT.closed_until + timedelta(days=1))
    gates.close(None, SPENT)
    closed = gates.read("mark")
    assert closed is not None

    assert not gates.close(None, later)
    assert gates.close(closed, later)
    assert not gates.close(closed, SPENT)
    assert not gates.open(closed)
    assert gates.read("mark") == replace(later, version=2)


def test_a_gate_that_was_opened_and_closed_again_is_another(gates: QuotaGates) -> None:
    gates.close(None, SPENT)
    first = gates.read("mark")
    assert first is not None
    gates.open(first)
    again = replace(SPENT, reported_at=NOON + timedelta(hours=6))
    gates.close(None, again)

    assert not gates.open(first)
    assert not gates.close(first, SPENT)
    assert gates.read("mark") == replace(again, version=1)


def test_moments_mean_the_same_whatever_their_time_zone(database: Database) -> None:
    gates = StoredQuotaGates(database)
    tokyo = timezone(timedelta(hours=9))
    gates.close(None, replace(SPENT, closed_until=SPENT.closed_until.astimezone(tokyo)))

    assert gates.read("mark") == replace(SPENT, version=1)


def test_a_reason_may_hold_anything_that_an_agent_says(database: Database) -> None:
    breakers = StoredBreakers(database)
    breakers.swap(Breaker(API), replace(OPEN, reason="half \ud83d and \0"))

    assert breakers.read(API).reason == "half � and  "


def test_of_many_changes_at_once_each_counts_once(storage: Storage) -> None:
    start = Barrier(4)

    def add_five() -> None:
        with closing(open_database(storage)) as opened:
            breakers, added = StoredBreakers(opened), 0
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
        assert StoredBreakers(opened).read(API) == Breaker(API, failures=20, version=20)
