"""A long log opens at once: its outline says the same of the run as all of it."""

from contextlib import closing
from pathlib import Path

import pytest

from tests.builders import NOON, RUN, run_started
from tests.contracts.storages import DATABASES, storage_of
from tests.unit.cli.sample_runs import ALL_RUNS
from treadle.adapters.stores.event_store import EventStore, open_store
from treadle.adapters.stores.log_outline import TAIL
from treadle.adapters.stores.schema import BULK, LANDMARK, LANDMARKS_OF_A_RUN
from treadle.adapters.stores.sqlite import SqliteDatabase
from treadle.domain.events.agent import (
    AgentSpoke,
    ToolCalled,
    ToolDecided,
    ToolFinished,
    UsageReported,
)
from treadle.domain.events.all_events import Event
from treadle.domain.events.session import SessionStarted
from treadle.domain.ids import RunId, SessionId
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.domain.wire import event_types
from treadle.views.run_details import collect_run_details

NOISE: list[Event] = [AgentSpoke("hm")] * (TAIL + 10)


@pytest.fixture(params=DATABASES)
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return storage_of(request.param, request, tmp_path)


def tool(number: int, decision: str = "allow") -> list[Event]:
    called = ToolCalled(str(number), "Bash", {"command": f"make {number}"})
    decided = ToolDecided(str(number), "Bash", decision, "because")  # type: ignore[arg-type]
    return [called, decided, ToolFinished(str(number), "done", is_error=False)]


def append(store: EventStore, run: RunId, *events: Event) -> None:
    store.append(run, [(NOON, event) for event in events])


@pytest.mark.parametrize("name", ALL_RUNS)
def test_the_outline_of_a_run_gives_the_same_account(storage: Storage, name: str) -> None:
    told = [(each.at, each.event) for each in ALL_RUNS[name]()]
    with closing(open_store(storage)) as store:
        store.append(RUN, told)
        append(store, RUN, *NOISE)

        assert collect_run_details(store.outline(RUN)) == collect_run_details(store.read(RUN))


def test_an_outline_leaves_out_what_logs_are_full_of_but_denials_and_the_last_events(
    storage: Storage,
) -> None:
    with closing(open_store(storage)) as store:
        append(store, RUN, run_started(), *tool(1), *tool(2, "deny"), *NOISE)
        outline = list(store.outline(RUN))
        whole = list(store.read(RUN))

    assert [each.seq for each in outline[:3]] == [1, 5, 6]
    assert outline[3:] == whole[-TAIL:]


def test_what_a_session_that_has_not_ended_used_so_far_is_in_the_outline(
    storage: Storage,
) -> None:
    usage = UsageReported("sonnet", Usage(), 0.25)
    session = SessionStarted(SessionId("s"), "implementer", "sonnet")
    with closing(open_store(storage)) as store:
        append(store, RUN, run_started(), usage, session, usage, *NOISE, usage)

        assert collect_run_details(store.outline(RUN)).state.cost_usd == 0.5


def test_the_first_events_of_a_log_have_an_outline_of_their_own(storage: Storage) -> None:
    with closing(open_store(storage)) as store:
        append(store, RUN, run_started(), *NOISE, *tool(1), *NOISE)
        middle = 1 + len(NOISE) + 1

        assert collect_run_details(store.outline(RUN, upto=middle)) == collect_run_details(
            store.read(RUN, limit=middle)
        )
        assert (store.last_number(RUN), store.last_number(RunId("nobody"))) == (424, 0)


def test_what_logs_are_full_of_are_types_there_are() -> None:
    assert set(BULK) <= set(event_types())
    assert all(f"'{each}'" in LANDMARK for each in BULK)


def test_landmarks_are_found_by_an_index_and_not_by_reading_the_log(tmp_path: Path) -> None:
    with closing(SqliteDatabase(tmp_path / "events.db")) as database:
        plan = database.query(f"EXPLAIN QUERY PLAN {LANDMARKS_OF_A_RUN}", (RUN,))

    assert "USING COVERING INDEX landmarks" in plan[0][3]
