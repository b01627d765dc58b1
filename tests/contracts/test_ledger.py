"""The `Ledger` port, the same for every ledger: each response once, and sums that are exact."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.builders import NOON, RUN
from tests.contracts.storages import DATABASES, storage_of
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger, MemoryLedger
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, CostSoFar, Ledger, LedgerEntry, WindowShare
from treadle.domain.usage import Usage

OTHER = RunId("another-run")
SESSION = SessionId("session-1")
ENTRY = LedgerEntry(
    id="one",
    run=RUN,
    session=SESSION,
    at=NOON,
    model="claude-opus-5-5",
    usage=Usage(1, 2, 3, 4, 5),
    cost_usd=0.25,
    windows=(WindowShare("5h", 0.5, NOON), WindowShare("7d", 0.25)),
)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@pytest.fixture(params=["memory", *DATABASES])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger()
        return
    with closing(open_database(storage_of(request.param, request, tmp_path))) as database:
        yield DatabaseLedger(database)


def test_a_session_that_asked_for_nothing_has_an_empty_bill(ledger: Ledger) -> None:
    assert ledger.bill(SESSION) == Bill()


def test_a_bill_sums_up_one_session_and_no_other(ledger: Ledger) -> None:
    ledger.put(ENTRY)
    ledger.put(replace(ENTRY, id="two", cost_usd=0.5, agent="sub-agent"))
    ledger.put(replace(ENTRY, id="three", session=SessionId("session-2")))

    assert ledger.bill(SESSION) == Bill(requests=2, cost_usd=0.75, usage=Usage(2, 4, 6, 8, 10))


@pytest.mark.parametrize(
    ("second", "bill"),
    [
        (replace(ENTRY, id="two", priced=False), Bill(priced=False)),
        (replace(ENTRY, id="two", estimated=True), Bill(estimated=True)),
        (replace(ENTRY, id="two", subscription=True), Bill(subscription=True)),
    ],
)
def test_what_is_true_of_one_response_is_said_of_the_bill(
    ledger: Ledger, second: LedgerEntry, bill: Bill
) -> None:
    ledger.put(ENTRY)
    ledger.put(second)

    assert ledger.bill(SESSION) == replace(
        bill, requests=2, cost_usd=0.5, usage=ENTRY.usage + ENTRY.usage
    )


def test_an_entry_takes_the_place_of_the_one_with_its_id(ledger: Ledger) -> None:
    ledger.put(replace(ENTRY, estimated=True, cost_usd=0.125, usage=Usage(1)))
    ledger.put(ENTRY)

    assert ledger.bill(SESSION) == Bill(requests=1, cost_usd=0.25, usage=ENTRY.usage)


def test_costs_are_shown_for_one_run_and_for_all(ledger: Ledger) -> None:
    ledger.put(ENTRY)
    ledger.put(replace(ENTRY, id="two", run=OTHER, cost_usd=0.5))

    assert ledger.spent(RUN, since=LONG_AGO, rehearsal=False) == CostSoFar(0.25, 0.75)


@pytest.mark.parametrize(
    ("since", "counted"),
    [
        (NOON, 0.25),
        (NOON + timedelta(microseconds=1), 0.0),
        (NOON - timedelta(microseconds=1), 0.25),
        (NOON.astimezone(timezone(timedelta(hours=9))), 0.25),  # the same moment elsewhere
        (NOON.astimezone(timezone(timedelta(hours=-9))), 0.25),
    ],
)
def test_costs_count_from_a_moment_on(ledger: Ledger, since: datetime, counted: float) -> None:
    ledger.put(ENTRY)

    assert ledger.spent(RUN, since=since, rehearsal=False) == CostSoFar(counted, counted)


def test_rehearsals_and_real_runs_do_not_see_each_others_costs(ledger: Ledger) -> None:
    ledger.put(ENTRY)
    ledger.put(replace(ENTRY, id="two", rehearsal=True, cost_usd=1000.0))

    assert ledger.spent(RUN, since=LONG_AGO, rehearsal=False) == CostSoFar(0.25, 0.25)
    assert ledger.spent(RUN, since=LONG_AGO, rehearsal=True) == CostSoFar(1000.0, 1000.0)


def test_a_request_that_nobody_answered_leaves_no_entry(ledger: Ledger) -> None:
    ledger.put(ENTRY)
    ledger.put(replace(ENTRY, id="two"))
    ledger.remove("two")
    ledger.remove("never stored")

    assert ledger.bill(SESSION) == Bill(requests=1, cost_usd=0.25, usage=ENTRY.usage)


def test_what_others_have_estimated_is_told_apart(ledger: Ledger) -> None:
    estimated = replace(ENTRY, estimated=True)
    ledger.put(replace(estimated, id="own"))
    ledger.put(replace(ENTRY, id="known", run=OTHER))
    ledger.put(replace(estimated, id="recent", run=OTHER, cost_usd=0.5))
    ledger.put(replace(estimated, id="older", run=OTHER, at=NOON - timedelta(hours=1)))
    ledger.put(replace(estimated, id="rehearsed", run=OTHER, rehearsal=True))

    assert ledger.estimated_of_others(RUN, since=NOON, rehearsal=False) == 0.5
    assert ledger.estimated_of_others(RUN, since=LONG_AGO, rehearsal=False) == 0.75
