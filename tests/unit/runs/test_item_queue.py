"""Which commands about an item are about its queue."""

from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import RUN, FakeClock, run_started
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import find_run
from treadle.domain.deliverable import Tally
from treadle.domain.events.run import RunEnded
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunRow
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.runs.item_queue import queue_at_work, queue_to_resume
from treadle.runs.locks import lock_orphan

QUEUE = RunId(RUN.replace("9", "8"))
# Not ended: its process works on it, or is gone.
ALIVE, LOST = "alive", "lost"


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(tmp_path / "root")


def record(storage: Storage, run: RunId, workflow: str, queue: RunId | None, end: str) -> None:
    with closing(open_store(storage)) as store:
        recorder = Recorder(store, run, FakeClock(), ())
        recorder.record(replace(run_started(run), workflow=workflow, queue=queue))
        if end not in (ALIVE, LOST):
            reason: ExitReason = end  # type: ignore[assignment]
            recorder.record(RunEnded(RunResult(reason, 1, Tally(), 0.0, Usage(), 1.0)))


def item_of(storage: Storage, workflow: str, queue_end: str, item_end: str) -> RunRow:
    record(storage, QUEUE, workflow, None, queue_end)
    record(storage, RUN, "focus", QUEUE, item_end)
    return find_run(storage, RUN)


@pytest.mark.parametrize(
    ("workflow", "queue_end", "item_end", "as_last", "by_id"),
    [
        # Interrupted with its item: alone, the item would be done twice.
        ("watch", "interrupted", "interrupted", True, True),
        ("auto", LOST, LOST, True, True),
        ("watch", LOST, "interrupted", True, True),
        # Interrupted between two items.
        ("watch", "interrupted", "approved", True, False),
        ("watch", "cancelled", "cancelled", True, False),
        # What is said at the end of a queue of increments is about the queue.
        ("auto", "items_left", "stuck", True, False),
        ("watch", "items_left", "stuck", False, False),
        ("auto", "queue_done", "all_passed", False, False),
        ("watch", ALIVE, "stuck", False, False),
    ],
)
def test_an_item_is_continued_alone_unless_its_queue_would_do_it_again(
    storage: Storage, workflow: str, queue_end: str, item_end: str, as_last: object, by_id: object
) -> None:
    row = item_of(storage, workflow, queue_end, item_end)

    with ExitStack() as held:
        if queue_end == ALIVE:
            held.enter_context(lock_orphan(storage.root, QUEUE))
        found = [queue_to_resume(storage, row, is_last=is_last) for is_last in (True, False)]

    expected = [QUEUE if each else None for each in (as_last, by_id)]
    assert [None if each is None else each.id for each in found] == expected


@pytest.mark.parametrize(("queue_end", "found"), [(ALIVE, QUEUE), (LOST, None), ("stuck", None)])
def test_the_last_run_that_is_cancelled_is_the_queue_at_work(
    storage: Storage, queue_end: str, found: RunId | None
) -> None:
    row = item_of(storage, "watch", queue_end, LOST)

    with ExitStack() as held:
        if queue_end == ALIVE:
            held.enter_context(lock_orphan(storage.root, QUEUE))
        queue = queue_at_work(storage, row)

    assert (None if queue is None else queue.id) == found


def test_a_run_of_its_own_has_no_queue(storage: Storage) -> None:
    record(storage, RUN, "deliver", None, "interrupted")
    row = find_run(storage, RUN)

    assert queue_to_resume(storage, row, is_last=True) is None
    assert queue_at_work(storage, row) is None
