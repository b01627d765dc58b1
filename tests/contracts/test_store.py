"""The `Store` port, the same for every store: a numbered log per run that keeps what it took."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import EVENTS, MOMENTS, NOON, RUN
from treadle.adapters.stores.memory import MemoryStore
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.events.all_events import Event, Recorded
from treadle.domain.events.run import RunStarted
from treadle.domain.ids import RunId
from treadle.domain.ports import Store

OTHER = RunId("another-run")


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    sqlite = SqliteStore(tmp_path)
    yield sqlite
    sqlite.close()


def spoken(*words: str) -> list[tuple[datetime, Event]]:
    return [(NOON + timedelta(seconds=n), AgentSpoke(word)) for n, word in enumerate(words)]


def numbers_and_words(log: Iterator[Recorded]) -> list[tuple[int, str]]:
    return [(each.seq, each.event.text) for each in log if isinstance(each.event, AgentSpoke)]


def test_a_run_that_nobody_wrote_has_an_empty_log(store: Store) -> None:
    assert list(store.read(RUN)) == []


def test_events_are_numbered_from_one_without_gaps_over_all_batches(store: Store) -> None:
    first = store.append(RUN, spoken("a", "b"))
    second = store.append(RUN, spoken("c"))
    nothing = store.append(RUN, [])
    third = store.append(RUN, spoken("d", "e"))

    stored = [*first, *second, *nothing, *third]
    assert [(each.run, each.seq) for each in stored] == [(RUN, n) for n in range(1, 6)]
    assert list(store.read(RUN)) == stored


def test_every_run_has_numbers_of_its_own(store: Store) -> None:
    store.append(RUN, spoken("a"))
    store.append(OTHER, spoken("x", "y"))
    store.append(RUN, spoken("b"))

    assert numbers_and_words(store.read(RUN)) == [(1, "a"), (2, "b")]
    assert numbers_and_words(store.read(OTHER)) == [(1, "x"), (2, "y")]


@pytest.mark.parametrize(
    ("after", "limit", "found"),
    [
        (0, None, [(1, "a"), (2, "b"), (3, "c")]),
        (1, None, [(2, "b"), (3, "c")]),
        (3, None, []),
        (99, None, []),
        (0, 2, [(1, "a"), (2, "b")]),
        (1, 1, [(2, "b")]),
        (0, 0, []),
        (2, 50, [(3, "c")]),
    ],
)
def test_a_log_is_read_from_any_number_and_up_to_any_count(
    store: Store, after: int, limit: int | None, found: list[tuple[int, str]]
) -> None:
    store.append(RUN, spoken("a", "b", "c"))

    assert numbers_and_words(store.read(RUN, after=after, limit=limit)) == found


@pytest.mark.parametrize("limit", [None, 499, 500, 501, 1000, 1203, 2000])
def test_a_long_log_is_read_whole_and_in_order(store: Store, limit: int | None) -> None:
    words = [str(n) for n in range(1, 1204)]
    store.append(RUN, spoken(*words))

    found = numbers_and_words(store.read(RUN, limit=limit))

    assert found == [(n, str(n)) for n in range(1, min(1203, limit or 1203) + 1)]


def test_a_reader_follows_the_log_while_it_grows(store: Store) -> None:
    seen: list[tuple[int, str]] = []
    for words in (("a",), (), ("b", "c"), ("d",)):
        store.append(RUN, spoken(*words))
        last = seen[-1][0] if seen else 0
        seen += numbers_and_words(store.read(RUN, after=last))

    assert seen == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


FRESH = (RunId(f"run-{number}") for number in count())


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # a fresh run is enough
@given(batches=st.lists(st.lists(st.tuples(MOMENTS, EVENTS), max_size=4), max_size=4))
def test_what_was_stored_is_read_again_whatever_it_was(
    store: Store, batches: list[list[tuple[datetime, Event]]]
) -> None:
    run = next(FRESH)
    # A run is begun once; a store may hold its runs to that.
    batches = [[pair for pair in batch if not isinstance(pair[1], RunStarted)] for batch in batches]

    stored = [each for batch in batches for each in store.append(run, batch)]

    assert [(each.at, each.event) for each in stored] == [pair for b in batches for pair in b]
    assert list(store.read(run)) == stored


def test_the_directory_of_a_store_is_made_when_it_is_not_there(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "not" / "yet" / "there")
    store.append(RUN, spoken("a"))
    store.close()

    assert (tmp_path / "not/yet/there/events.db").is_file()
