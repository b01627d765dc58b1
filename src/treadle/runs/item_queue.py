"""Finds the queue whose item a run does, if a command about the run is about the queue."""

from treadle.adapters.stores.event_store import EventStore
from treadle.domain.events.run import RunStarted
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunRow
from treadle.domain.storage import Storage
from treadle.runs.find import open_logs, open_rows
from treadle.workflows.registry import find_workflow


def queue_of(run: RunId, store: EventStore) -> RunId | None:
    """The queue whose item the run does."""
    started = [each.event for each in store.read(run, types=("run.started",))]
    return next((each.queue for each in started if isinstance(each, RunStarted)), None)


def queue_at_work(storage: Storage, row: RunRow) -> RunRow | None:
    """The live queue of an item: it would start the next one once this is ended."""
    queue = find_queue(storage, row)
    return queue if queue is not None and queue.alive else None


def queue_to_resume(storage: Storage, row: RunRow, *, is_last: bool) -> RunRow | None:
    """The queue that has to be continued in place of its item. `is_last`: the person did not name
    the item."""
    queue = find_queue(storage, row)
    return queue if queue is not None and _continues(queue, row, is_last=is_last) else None


def _continues(queue: RunRow, item: RunRow, *, is_last: bool) -> bool:
    if queue.alive or queue.state in ("queued", "succeeded"):
        return False
    # The queue starts what was interrupted once more: alone, it would be done twice.
    if queue.state == "lost" or queue.reason == "interrupted":
        return is_last or item.state == "lost" or item.reason == "interrupted"
    # A person ended it, or its end says how to continue it.
    says_how = "increments" in find_workflow(queue.workflow).inputs
    return is_last and (queue.reason == "cancelled" or says_how)


def find_queue(storage: Storage, row: RunRow) -> RunRow | None:
    """The queue whose item the run of the row does."""
    with open_logs(storage) as logs, open_rows(storage) as find:
        queue = queue_of(row.id, logs)
        return None if queue is None else find(queue)
