"""The recorder: what decides is stored at once, what only shows soon after, readers after both."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import pytest

from tests.builders import RUN, FakeClock
from treadle.adapters.stores.memory_store import MemoryStore
from treadle.adapters.stores.recorder import BATCH_LIMIT, Recorder
from treadle.domain.errors import StoreError
from treadle.domain.events.agent import AgentSpoke, ToolCalled, ToolDecided, ToolFinished
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import RunWarned
from treadle.domain.ids import RunId

SPOKE = AgentSpoke("hi")
CALLED = ToolCalled("1", "Bash", {})
DECIDED = ToolDecided("1", "Bash", "allow", "")
FINISHED = ToolFinished("1", "", is_error=False)
WARNED = RunWarned("careful")


class Batches(MemoryStore):
    """Also remembers what came together, and can be out of order for a while."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[Event]] = []
        self.stored = asyncio.Event()
        self.tried = asyncio.Event()
        self.failing = False

    def append(
        self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
    ) -> Sequence[RecordedEvent]:
        self.tried.set()
        if self.failing:
            raise StoreError("no space left")
        self.batches.append([event for _, event in events])
        self.stored.set()
        return super().append(run, events, once=once)


async def test_what_only_shows_is_stored_with_the_next_event_that_decides() -> None:
    store = Batches()
    recorder = Recorder(store, RUN, FakeClock(), ())

    recorder.record(SPOKE)
    recorder.record(CALLED)
    before = list(store.batches)
    recorder.record(DECIDED)
    recorder.record(FINISHED)
    recorder.flush()

    assert before == []
    assert store.batches == [[SPOKE, CALLED, DECIDED], [FINISHED]]


async def test_what_only_shows_is_stored_by_itself_when_nothing_else_comes() -> None:
    store = Batches()
    recorder = Recorder(store, RUN, FakeClock(), ())

    recorder.record(SPOKE)
    recorder.record(CALLED)
    began = asyncio.get_running_loop().time()
    await store.stored.wait()
    waited = asyncio.get_running_loop().time() - began

    assert store.batches == [[SPOKE, CALLED]]
    assert waited >= 0.05
    recorder.flush()
    assert len(store.batches) == 1


async def test_a_second_silence_is_ended_like_the_first() -> None:
    store = Batches()
    recorder = Recorder(store, RUN, FakeClock(), ())
    for _ in range(2):
        store.stored.clear()
        recorder.record(SPOKE)
        await store.stored.wait()

    assert store.batches == [[SPOKE], [SPOKE]]


async def test_a_flood_of_text_is_stored_before_it_grows_large() -> None:
    store = Batches()
    recorder = Recorder(store, RUN, FakeClock(), ())

    for _ in range(2 * BATCH_LIMIT + 1):
        recorder.record(SPOKE)

    assert [len(batch) for batch in store.batches] == [BATCH_LIMIT, BATCH_LIMIT]
    recorder.flush()


async def test_readers_get_events_in_order_and_only_once_stored() -> None:
    store = Batches()
    told: list[tuple[int, Event, int]] = []

    def reader(recorded: RecordedEvent) -> None:
        told.append((recorded.seq, recorded.event, sum(len(batch) for batch in store.batches)))

    recorder = Recorder(store, RUN, FakeClock(), (reader, reader))
    recorder.record(SPOKE)
    recorder.record(DECIDED)
    recorder.record(WARNED)

    assert told == [
        (1, SPOKE, 2),
        (1, SPOKE, 2),
        (2, DECIDED, 2),
        (2, DECIDED, 2),
        (3, WARNED, 3),
        (3, WARNED, 3),
    ]


async def test_an_event_has_the_time_it_happened_at_and_not_the_time_it_was_stored_at() -> None:
    store, clock = Batches(), FakeClock()
    recorder = Recorder(store, RUN, clock, ())

    began = clock.now()
    recorder.record(SPOKE)
    clock.advance(0.05)
    recorder.record(DECIDED)

    assert [(each.at - began).total_seconds() for each in store.read(RUN)] == [0.0, 0.05]


async def test_an_event_that_could_not_be_stored_is_refused_and_never_turns_up_later() -> None:
    store = Batches()
    told: list[Event] = []
    recorder = Recorder(store, RUN, FakeClock(), (lambda each: told.append(each.event),))
    recorder.record(SPOKE)
    store.failing = True

    with pytest.raises(StoreError):
        recorder.record(DECIDED)
    assert told == []

    store.failing = False
    recorder.record(RunWarned("there is room again"))
    assert [each.event for each in store.read(RUN)] == [SPOKE, RunWarned("there is room again")]
    assert told == [SPOKE, RunWarned("there is room again")]


async def test_text_that_could_not_be_stored_in_time_waits_for_the_next_urgent_event() -> None:
    store = Batches()
    store.failing = True
    recorder = Recorder(store, RUN, FakeClock(), ())
    recorder.record(SPOKE)

    await store.tried.wait()
    with pytest.raises(StoreError):
        recorder.flush()

    store.failing = False
    recorder.flush()
    assert store.batches == [[SPOKE]]


async def test_what_is_stored_and_shown_is_cleaned_first() -> None:
    store = Batches()
    told: list[Event] = []

    def clean(event: Event) -> Event:
        hidden = isinstance(event, AgentSpoke) and event.text == "the key"
        return AgentSpoke("***") if hidden else event

    recorder = Recorder(
        store, RUN, FakeClock(), (lambda each: told.append(each.event),), clean=clean
    )
    recorder.record(AgentSpoke("the key"))
    recorder.record(SPOKE)
    recorder.record(DECIDED)

    assert store.batches == [[AgentSpoke("***"), SPOKE, DECIDED]]
    assert told == [AgentSpoke("***"), SPOKE, DECIDED]


def test_a_log_can_be_added_to_where_no_event_loop_runs() -> None:
    store = Batches()
    Recorder(store, RUN, FakeClock(), ()).record(WARNED)

    assert store.batches == [[WARNED]]


async def test_what_is_recorded_once_comes_after_what_waited_and_reaches_readers_once() -> None:
    store = Batches()
    told: list[Event] = []
    recorder = Recorder(store, RUN, FakeClock(), (lambda each: told.append(each.event),))

    recorder.record(SPOKE)
    recorder.record(WARNED, once="warning")
    recorder.record(SPOKE)
    recorder.record(RunWarned("the same, told by who went on"), once="warning")

    assert [each.event for each in store.read(RUN)] == [SPOKE, WARNED, SPOKE]
    assert told == [SPOKE, WARNED, SPOKE]


async def test_what_is_recorded_once_is_cleaned_and_may_only_fill_the_screen() -> None:
    store = Batches()
    recorder = Recorder(store, RUN, FakeClock(), (), clean=lambda _: AgentSpoke("***"))

    recorder.record(SPOKE, once="greeting")

    assert [each.event for each in store.read(RUN)] == [AgentSpoke("***")]
