"""Reads and requeues stored workflows without loading the engine, which is slow to load."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from treadle.durable.connections import file_of, is_sqlite, open_pool, translate_errors
from treadle.durable.finished_steps import FinishedStep
from treadle.durable.port import SHARED_QUEUE
from treadle.durable.stored_workflow import StoredWorkflow
from treadle.durable.workflow_tables import WorkflowTables


def unfinished_workflows(location: str) -> Sequence[StoredWorkflow]:
    """All workflows that run, wait on a queue, or are parked after an error."""
    with _open_tables(location) as tables:
        return tables.unfinished() if tables else ()


def find_workflow(location: str, workflow_id: str) -> StoredWorkflow | None:
    """The state of one workflow; None if it was never started."""
    with _open_tables(location) as tables:
        return tables.find(workflow_id) if tables else None


def finished_steps_of_server(location: str, workflow_id: str) -> Sequence[FinishedStep]:
    """The stored steps of one workflow on a server, in their order."""
    with _open_tables(location) as tables:
        return tables.finished_steps(workflow_id) if tables else ()


def move_to_queue(location: str, stored: StoredWorkflow, *, queue: str = SHARED_QUEUE) -> bool:
    """Put a workflow on a queue; False, and nothing done, if its state has changed.

    Move a running one only while holding the lock that shows its executor is dead. The engine
    refuses what that executor may still try to store.
    """
    with _open_tables(location) as tables:
        return tables is not None and tables.move_to_queue(stored, queue)


@contextmanager
def _open_tables(location: str) -> Iterator[WorkflowTables | None]:
    # A read must not create the file.
    if is_sqlite(location) and not file_of(location).exists():
        yield None
        return
    with open_pool(location) as pool, translate_errors(location):
        tables = WorkflowTables(pool)
        yield tables if tables.exist() else None
