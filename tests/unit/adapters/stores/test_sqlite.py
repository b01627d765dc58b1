"""events.db: all or nothing, safe to read while it is written, honest about what it cannot read."""

import sqlite3
import threading
from collections.abc import Iterator
from datetime import datetime
from itertools import count
from pathlib import Path

import pytest

from tests.builders import NOON, RUN, run_started
from treadle.adapters.stores.event_store import EventStore, open_store
from treadle.adapters.stores.run_list import list_runs
from treadle.adapters.stores.sqlite import SqliteDatabase
from treadle.domain.errors import StoreError
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted
from treadle.domain.storage import Storage


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    opened = open_store(Storage(tmp_path))
    yield opened
    opened.close()


def at_noon(*events: Event) -> list[tuple[datetime, Event]]:
    return [(NOON, event) for event in events]


def spoken(store: EventStore) -> list[tuple[int, str]]:
    return [(r.seq, r.event.text) for r in store.read(RUN) if isinstance(r.event, AgentSpoke)]


def test_of_a_batch_that_cannot_be_stored_whole_nothing_is_stored(
    store: EventStore, tmp_path: Path
) -> None:
    store.append(RUN, at_noon(run_started()))

    with pytest.raises(StoreError):
        store.append(RUN, at_noon(AgentSpoke("a"), RoundStarted(7, "coding"), run_started()))

    assert [each.event for each in store.read(RUN)] == [run_started()]
    assert [row.rounds for row in list_runs(Storage(tmp_path))] == [0]
    assert [each.seq for each in store.append(RUN, at_noon(AgentSpoke("b")))] == [2]


def test_a_log_outlives_the_process_that_wrote_it(tmp_path: Path) -> None:
    first = open_store(Storage(tmp_path))
    stored = first.append(RUN, at_noon(AgentSpoke("a"), AgentSpoke("b")))
    first.close()

    again = open_store(Storage(tmp_path))
    assert list(again.read(RUN)) == list(stored)
    assert [each.seq for each in again.append(RUN, at_noon(AgentSpoke("c")))] == [3]
    again.close()


def test_events_of_a_newer_version_are_left_out_and_keep_their_numbers(
    store: EventStore, tmp_path: Path
) -> None:
    store.append(RUN, at_noon(AgentSpoke("a")))
    with sqlite3.connect(tmp_path / "events.db") as newer:
        newer.execute(
            "INSERT INTO events VALUES (?, 2, ?, 'star.born', ?)",
            (RUN, NOON.isoformat(), b'{"type":"star.born","name":"Vega"}'),
        )
    newer.close()
    store.append(RUN, at_noon(AgentSpoke("b")))

    assert spoken(store) == [(1, "a"), (3, "b")]


def test_what_is_not_committed_is_not_seen_by_a_reader(store: EventStore, tmp_path: Path) -> None:
    store.append(RUN, at_noon(AgentSpoke("a")))
    writer = sqlite3.connect(tmp_path / "events.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute(
        "INSERT INTO events VALUES (?, 2, ?, 'agent.spoke', ?)",
        (RUN, NOON.isoformat(), b'{"type":"agent.spoke","text":"b"}'),
    )

    during = spoken(store)
    writer.execute("COMMIT")
    writer.close()

    assert (during, spoken(store)) == ([(1, "a")], [(1, "a"), (2, "b")])


def test_a_reader_in_the_middle_of_a_log_is_not_disturbed_by_a_writer(
    store: EventStore, tmp_path: Path
) -> None:
    store.append(RUN, at_noon(*(AgentSpoke(str(n)) for n in range(1, 1001))))
    reader = open_store(Storage(tmp_path))

    reading = reader.read(RUN)
    first = next(reading).seq
    store.append(RUN, at_noon(AgentSpoke("late")))
    rest = [each.seq for each in reading]
    reader.close()

    assert [first, *rest] == list(range(1, 1002))


def test_writers_at_once_share_one_numbering_without_gaps_and_a_reader_sees_no_hole(
    tmp_path: Path,
) -> None:
    open_store(Storage(tmp_path)).close()
    seen: list[list[int]] = []

    def write() -> None:
        store = open_store(Storage(tmp_path))
        for _ in range(25):
            store.append(RUN, at_noon(AgentSpoke("a"), AgentSpoke("b")))
        store.close()

    def read() -> None:
        store = open_store(Storage(tmp_path))
        for _ in count():
            seen.append([each.seq for each in store.read(RUN)])
            if len(seen[-1]) == 100:
                break
        store.close()

    threads = [threading.Thread(target=work) for work in (write, write, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in seen)


def test_a_file_that_is_full_takes_nothing_in_part_and_works_again_with_room(
    tmp_path: Path,
) -> None:
    database = SqliteDatabase(tmp_path / "events.db")
    store = EventStore(database, "here")
    # The store's own connection has the bound; SQLite keeps it per connection.
    bounded = database._connection
    pages = bounded.execute("PRAGMA page_count").fetchone()[0]
    bounded.execute(f"PRAGMA max_page_count={pages + 3}")
    stored, refusal = 0, None
    while refusal is None:
        try:
            store.append(RUN, at_noon(AgentSpoke("x" * 3000), AgentSpoke("y" * 3000)))
            stored += 2
        except StoreError as error:
            refusal = error

    assert (refusal.message, refusal.hint) == (
        f"no space left to write {tmp_path / 'events.db'}",
        "free some space; nothing that was stored is lost",
    )
    assert [number for number, _ in spoken(store)] == list(range(1, stored + 1))
    bounded.execute("PRAGMA max_page_count=1000")
    assert [each.seq for each in store.append(RUN, at_noon(AgentSpoke("z")))] == [stored + 1]
    store.close()


def test_a_store_whose_file_was_removed_takes_no_more_events(tmp_path: Path) -> None:
    store = open_store(Storage(tmp_path))
    (tmp_path / "events.db").unlink()

    with pytest.raises(StoreError, match="was removed while a run was using it"):
        store.append(RUN, [(NOON, AgentSpoke("hello"))])
    store.close()
