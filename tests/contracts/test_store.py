"""The `Store` port, the same for every store: a numbered log per run that keeps what it took."""

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import EVENTS, MOMENTS, NOON, RUN, RUN_LIMITS, run_started
from tests.contracts.storages import DATABASES, Kind, storage_of
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.memory_store import MemoryStore
from treadle.domain.deliverable import Tally
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.publishing import FeedbackReceived, PullRequestFollowed
from treadle.domain.events.run import (
    RoundStarted,
    RunEnded,
    RunPaused,
    RunQueued,
    RunRecovered,
    RunReopened,
    RunResumed,
    RunStarted,
    RunWarned,
)
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId, short_id
from treadle.domain.lifecycle import IllegalTransition, changes_state
from treadle.domain.ports import Store
from treadle.domain.run import RunResult
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage

OTHER = RunId("another-run")


@pytest.fixture(params=["memory", *DATABASES])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    with closing(open_store(storage_of(request.param, request, tmp_path))) as opened:
        yield opened


def spoken(*words: str) -> list[tuple[datetime, Event]]:
    return [(NOON + timedelta(seconds=n), AgentSpoke(word)) for n, word in enumerate(words)]


def numbers_and_words(log: Iterator[RecordedEvent]) -> list[tuple[int, str]]:
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
    # What may follow what in the life of a run is another matter.
    batches = [[pair for pair in batch if not changes_state(pair[1].type)] for batch in batches]

    stored = [each for batch in batches for each in store.append(run, batch)]

    assert [(each.at, each.event) for each in stored] == [pair for b in batches for pair in b]
    assert list(store.read(run)) == stored


def test_of_a_log_only_some_types_can_be_read(store: Store) -> None:
    started, warned = run_started(), RunWarned("careful")
    log: list[Event] = [started, AgentSpoke("a"), warned, AgentSpoke("b"), warned]
    store.append(RUN, [(NOON, event) for event in log])
    store.append(OTHER, [(NOON, warned)])

    def numbers(*types: str, after: int = 0, limit: int | None = None) -> list[int]:
        return [each.seq for each in store.read(RUN, after=after, limit=limit, types=types)]

    assert numbers("run.warned") == [3, 5]
    assert numbers("run.warned", "run.started", after=1) == [3, 5]
    assert numbers("agent.spoke", "run.started") == [1, 2, 4]
    assert numbers("agent.spoke", limit=1) == [2]
    assert numbers("star.born") == []


def test_what_is_recorded_once_is_stored_the_first_time_only(store: Store) -> None:
    first = store.append(RUN, spoken("a", "b"), once="greeting")
    again = store.append(RUN, spoken("c"), once="greeting")
    other = store.append(RUN, spoken("d"), once="farewell")
    elsewhere = store.append(OTHER, spoken("e"), once="greeting")

    assert ([each.seq for each in first], list(again)) == ([1, 2], [])
    assert ([each.seq for each in other], [each.seq for each in elsewhere]) == ([3], [1])
    assert numbers_and_words(store.read(RUN)) == [(1, "a"), (2, "b"), (3, "d")]


def test_a_key_whose_events_were_refused_can_be_used_again(store: Store) -> None:
    with pytest.raises(IllegalTransition):
        store.append(RUN, [(NOON, RunResumed())], once="key")

    assert [each.seq for each in store.append(RUN, spoken("a"), once="key")] == [1]


def ended(reason: ExitReason) -> RunEnded:
    result = RunResult(reason, 1, Tally(0, 0, 0), 0.0, Usage(), 1.0)
    return RunEnded(result)


STARTED, PAUSED, RESUMED = run_started(), RunPaused("quota", NOON), RunResumed()
FOLLOWED = PullRequestFollowed(1, "https://forge.example/1", NOON)
STOPPED, DONE, REOPENED = ended("stuck"), ended("all_passed"), RunReopened("retry", RUN_LIMITS)
QUEUED = RunQueued(RUN, "deliver", "/project", "key", rehearsal=True)
ROUND = RoundStarted(1, "coding")


@pytest.mark.parametrize(
    ("before", "event", "message"),
    [
        ([], RESUMED, "was never started: run.resumed cannot follow"),
        ([], STOPPED, "was never started: run.ended cannot follow"),
        ([STARTED], STARTED, "is running: run.started cannot follow"),
        ([QUEUED], QUEUED, "is still queued: run.queued cannot follow"),
        ([STARTED], REOPENED, "is running: run.reopened cannot follow"),
        ([STARTED, STOPPED], STOPPED, "has ended: run.ended cannot follow"),
        ([STARTED, STOPPED], STARTED, "has ended: run.started cannot follow"),
        ([STARTED, STOPPED], ROUND, "has ended: round.started cannot follow"),
        ([STARTED, DONE], DONE, "has succeeded: run.ended cannot follow"),
        ([STARTED, DONE], REOPENED, "has succeeded: run.reopened cannot follow"),
    ],
)
def test_an_event_that_cannot_follow_is_refused_with_all_that_came_with_it(
    store: Store, before: list[Event], event: Event, message: str
) -> None:
    store.append(RUN, [(NOON, each) for each in before])

    with pytest.raises(IllegalTransition) as caught:
        store.append(RUN, [*spoken("with it"), (NOON, event)])

    assert caught.value.message == f"run {short_id(RUN)} {message}"
    assert [each.event for each in store.read(RUN)] == before


def test_a_whole_run_can_be_recorded_in_one_batch_and_in_many(store: Store) -> None:
    life: list[Event] = [
        QUEUED,
        STARTED,
        ROUND,
        PAUSED,
        PAUSED,
        RunRecovered(),
        RESUMED,
        STOPPED,
        REOPENED,
    ]
    # After a success only the run itself goes on, to follow its pull request.
    life += [ROUND, DONE, RunReopened("follow", RUN_LIMITS), FOLLOWED, FOLLOWED, RunRecovered()]
    life += [FeedbackReceived(1, 1, "c0ffee", ()), ROUND, DONE]

    at_once = store.append(RUN, [(NOON, event) for event in life])
    one_by_one = [each for event in life for each in store.append(OTHER, [(NOON, moved(event))])]

    assert [each.event for each in at_once] == life
    assert [each.seq for each in one_by_one] == list(range(1, len(life) + 1))


def moved(event: Event) -> Event:
    """The same of the other run."""
    return replace(event, run=OTHER) if isinstance(event, RunQueued | RunStarted) else event


@pytest.mark.parametrize("kind", DATABASES)
def test_writers_at_once_share_one_numbering_without_gaps(
    kind: Kind, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    storage = storage_of(kind, request, tmp_path)
    open_store(storage).close()
    stored: list[list[int]] = []

    def write(own: list[int]) -> None:
        with closing(open_store(storage)) as store:
            for _ in range(20):
                own += [each.seq for each in store.append(RUN, spoken("a", "b"))]
                store.append(RUN, spoken("told once"), once=f"fact {len(own)}")

    threads = []
    for _ in range(3):
        stored.append([])
        threads.append(threading.Thread(target=write, args=(stored[-1],)))
        threads[-1].start()
    for thread in threads:
        thread.join()

    with closing(open_store(storage)) as store:
        log = list(store.read(RUN))
    once = [each for each in log if each.event == AgentSpoke("told once")]
    assert [each.seq for each in log] == list(range(1, 3 * 20 * 2 + 20 + 1))
    assert len(once) == 20
    assert all(own == sorted(own) for own in stored)


def test_the_directory_of_a_store_is_made_when_it_is_not_there(tmp_path: Path) -> None:
    store = open_store(Storage(tmp_path / "not" / "yet" / "there"))
    store.append(RUN, spoken("a"))
    store.close()

    assert (tmp_path / "not/yet/there/events.db").is_file()
