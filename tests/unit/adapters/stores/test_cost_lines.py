"""The ledger summed up: dollars for what is billed, shares of windows for what is not."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.builders import NOON, RUN
from tests.contracts.storages import DATABASES, storage_of
from treadle.adapters.stores.cost_lines import cost_lines, sum_lines
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.events.run import RunStarted
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import CostLine, LedgerEntry, WindowShare, WindowUse
from treadle.domain.limits import RunLimits
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage

OTHER = RunId("another-run")
ENTRY = LedgerEntry(
    "1", RUN, SessionId("s"), NOON, "claude-opus-5-5", Usage(1, 2, 3, 4, 1), cost_usd=0.5
)
LATER = replace(ENTRY, id="2", run=OTHER, at=NOON + timedelta(days=1), cost_usd=0.25)
RESET = datetime(2026, 5, 5, tzinfo=UTC)


@pytest.fixture(params=DATABASES)
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return storage_of(request.param, request, tmp_path)


def keep(storage: Storage, *entries: LedgerEntry) -> None:
    with closing(open_database(storage)) as database:
        ledger = DatabaseLedger(database)
        for entry in entries:
            ledger.put(entry)


def line(label: str, entry: LedgerEntry) -> CostLine:
    return CostLine(label, 1, entry.usage, entry.cost_usd)


def test_where_nothing_was_stored_nothing_was_spent(tmp_path: Path) -> None:
    assert cost_lines(Storage(tmp_path), "day", since=None, rehearsal=False) == []
    assert list(tmp_path.iterdir()) == []


def test_days_are_those_of_the_local_clock_newest_first(storage: Storage) -> None:
    keep(storage, ENTRY, LATER)

    days = [(NOON + timedelta(days=n)).astimezone().date().isoformat() for n in (1, 0)]
    assert cost_lines(storage, "day", since=None, rehearsal=False) == [
        line(days[0], LATER),
        line(days[1], ENTRY),
    ]


def test_the_minutes_of_a_day_are_one_line(storage: Storage) -> None:
    minutes = [
        replace(ENTRY, id=str(n), at=NOON.astimezone().replace(hour=12) + timedelta(minutes=n))
        for n in range(3)
    ]
    keep(storage, *minutes)

    (found,) = cost_lines(storage, "day", since=None, rehearsal=False)

    assert (found.requests, found.cost_usd, found.usage) == (3, 1.5, Usage(3, 6, 9, 12, 3))


def test_runs_come_newest_first_and_models_dearest_first(storage: Storage) -> None:
    dear = replace(LATER, model="claude-fable-5", cost_usd=9.0)
    keep(storage, ENTRY, dear)

    assert cost_lines(storage, "run", since=None, rehearsal=False) == [
        line(OTHER, dear),
        line(RUN, ENTRY),
    ]
    assert cost_lines(storage, "model", since=None, rehearsal=False) == [
        line("claude-fable-5", dear),
        line("claude-opus-5-5", ENTRY),
    ]


def test_projects_are_those_of_the_runs(storage: Storage) -> None:
    started = RunStarted(
        run=RUN,
        workflow="deliver",
        project="/home/ada/calc",
        project_key="calc",
        version="0",
        model="sonnet",
        plan_model="opus",
        limits=RunLimits(1, 1, 1, 1),
        sandbox="unsandboxed",
        rehearsal=False,
    )
    with closing(open_store(storage)) as store:
        store.append(RUN, [(NOON, started)])
    keep(storage, ENTRY, LATER)

    assert cost_lines(storage, "project", since=None, rehearsal=False) == [
        line("/home/ada/calc", ENTRY),
        line("", LATER),
    ]


def test_only_what_was_spent_since_then_and_not_in_rehearsals(storage: Storage) -> None:
    keep(storage, ENTRY, LATER, replace(LATER, id="3", rehearsal=True))

    assert cost_lines(storage, "run", since=LATER.at, rehearsal=False) == [line(OTHER, LATER)]
    assert cost_lines(storage, "run", since=None, rehearsal=True) == [line(OTHER, LATER)]


def test_what_has_no_price_or_was_cut_short_is_marked(storage: Storage) -> None:
    keep(storage, ENTRY, replace(ENTRY, id="2", priced=False, estimated=True, cost_usd=3.0))

    (found,) = cost_lines(storage, "run", since=None, rehearsal=False)

    assert found == CostLine(RUN, 2, Usage(2, 4, 6, 8, 2), 3.5, 3.0, estimated_requests=1)


def shares(number: int, five_hours: float, week: float, **changes: object) -> LedgerEntry:
    return replace(
        ENTRY,
        id=f"window-{number}",
        at=NOON + timedelta(minutes=number),
        subscription=True,
        windows=(WindowShare("5h", five_hours, RESET), WindowShare("7d", week)),
        **changes,  # type: ignore[arg-type]
    )


def test_a_subscription_is_a_share_of_its_windows_and_no_dollars(storage: Storage) -> None:
    keep(
        storage,
        shares(1, 0.25, 0.5),  # what was in them before is not known to be ours
        shares(2, 0.5, 0.5),
        shares(3, 0.5, 0.5, run=OTHER),
        shares(4, 0.75, 0.5625, run=OTHER),
        shares(5, 0.625, 0.5625),  # told late: a window never empties before its reset
    )

    lines = cost_lines(storage, "run", since=None, rehearsal=False)

    tokens = ENTRY.usage + ENTRY.usage
    assert lines == [
        CostLine(
            RUN,
            3,
            tokens + ENTRY.usage,
            0.0,
            subscription_requests=3,
            windows=(WindowUse("5h", 0.25, 0.625), WindowUse("7d", 0.0, 0.5625)),
        ),
        CostLine(
            OTHER,
            2,
            tokens,
            0.0,
            subscription_requests=2,
            windows=(WindowUse("5h", 0.25, 0.75), WindowUse("7d", 0.0625, 0.5625)),
        ),
    ]
    assert sum_lines(lines).windows == (
        WindowUse("5h", 0.5, 0.75),
        WindowUse("7d", 0.0625, 0.5625),
    )


def test_a_window_that_began_anew_is_another_one(storage: Storage) -> None:
    anew = RESET + timedelta(hours=5)
    keep(
        storage,
        shares(1, 0.5, 0.5),
        replace(shares(2, 0.0, 0.5), windows=(WindowShare("5h", 0.125, anew),)),
        replace(shares(3, 0.0, 0.5), windows=(WindowShare("5h", 0.25, anew),)),
    )

    (found,) = cost_lines(storage, "run", since=None, rehearsal=False)

    assert found.windows == (WindowUse("5h", 0.125, 0.25), WindowUse("7d", 0.0, 0.5))
