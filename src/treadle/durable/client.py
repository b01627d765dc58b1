"""Enqueues, cancels and deletes workflows from processes that run no engine."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import sqlalchemy as sa
from dbos import DBOSClient

from treadle.durable.connections import open_pool, translate_errors
from treadle.durable.json_serializer import JsonSerializer
from treadle.durable.migrations import bring_up_to_date
from treadle.durable.names import APPLICATION, VERSION, WORKFLOW
from treadle.durable.port import SHARED_QUEUE, Json
from treadle.durable.workflow_tables import WorkflowTables


def enqueue(
    location: str, workflow_id: str, workflow: str, argument: Json, *, queue: str = SHARED_QUEUE
) -> None:
    """Put a workflow on a queue; one that is stored already stays unchanged."""
    with _open_client(location) as (client, _):
        client.enqueue(
            {
                "workflow_name": WORKFLOW,
                "queue_name": queue,
                "workflow_id": workflow_id,
                "app_version": VERSION,
            },
            workflow,
            argument,
        )


def cancel(location: str, workflow_id: str) -> None:
    """End a workflow for good, in whatever process it runs; a finished one stays unchanged."""
    with _open_client(location) as (client, _):
        client.cancel_workflow(workflow_id)


def delete_ended_before(location: str, moment: datetime) -> int:
    """Delete the workflows that ended before `moment`; returns their number."""
    with _open_client(location) as (client, tables):
        ended = [stored.workflow_id for stored in tables.ended_before(moment)]
        for start in range(0, len(ended), _BATCH_SIZE):
            client.delete_workflows(ended[start : start + _BATCH_SIZE])
        tables.drop_idle_queues(moment)
        return len(ended)


# Databases limit the number of values in one statement.
_BATCH_SIZE = 1000


@contextmanager
def _open_client(location: str) -> Iterator[tuple[DBOSClient, WorkflowTables]]:
    bring_up_to_date(location)
    with open_pool(location) as pool, translate_errors(location):
        yield make_client(pool), WorkflowTables(pool)


def make_client(pool: sa.Engine) -> DBOSClient:
    """The library's client, which needs no running engine."""
    quiet_library_logs()
    return DBOSClient(
        system_database_engine=pool,
        serializer=JsonSerializer(),
        application_name=APPLICATION,
        retry_connection_errors=False,
    )


def quiet_library_logs() -> None:
    """Call before the library logs: without a handler it writes to stderr."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = False
