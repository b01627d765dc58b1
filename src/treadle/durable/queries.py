"""Reads and requeues stored workflows without loading the engine, which is slow to load."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from treadle.durable.connections import file_of, is_sqlite, open_pool, translate_errors
from treadle.durable.port import SHARED_QUEUE
from treadle.durable.stored_workflow import StoredWorkflow
from treadle.durable.workflow_tables import FinishedStep, WorkflowTables


def unfinished_workflows(location: str) -> Sequence[StoredWorkflow]:
    """All that is told now, waits on a queue, or is parked because its story raised."""
    with _open_tables(location) as rows:
        return rows.unfinished() if rows else ()


def find_workflow(location: str, workflow_id: str) -> StoredWorkflow | None:
    """How one workflow stands; None if it was never begun."""
    with _open_tables(location) as rows:
        return rows.find(workflow_id) if rows else None


def finished_steps(location: str, workflow_id: str) -> Sequence[FinishedStep]:
    """What is stored of one workflow, in the order of its story."""
    with _open_tables(location) as rows:
        return rows.finished_steps(workflow_id) if rows else ()


def move_to_queue(location: str, seen: StoredWorkflow, *, queue: str = SHARED_QUEUE) -> bool:
    """Put a workflow on a queue; False, and nothing done, if it no longer stands as it was seen.

    For one that is being told: only if its executor is dead, so hold the lock that says so. What
    the dead one may still try to store is refused.
    """
    with _open_tables(location) as rows:
        return rows is not None and rows.move_to_queue(seen, queue)


@contextmanager
def _open_tables(location: str) -> Iterator[WorkflowTables | None]:
    # Looking makes no file.
    if is_sqlite(location) and not file_of(location).exists():
        yield None
        return
    with open_pool(location) as pool, translate_errors(location):
        rows = WorkflowTables(pool)
        yield rows if rows.exist() else None
