"""What other processes may order of the engine without being one: enqueue, cancel, delete."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import sqlalchemy as sa
from dbos import DBOSClient

from treadle.durable.database import connected, telling_what_fails
from treadle.durable.hush import hush
from treadle.durable.json_text import JsonText
from treadle.durable.names import APPLICATION, VERSION, WORKFLOW
from treadle.durable.port import SHARED, Json
from treadle.durable.rows import Rows
from treadle.durable.schema import bring_up_to_date


def enqueue(
    location: str, workflow_id: str, story: str, argument: Json, *, queue: str = SHARED
) -> None:
    """Have a story told by whoever serves `queue`; one that exists already stays as it is."""
    with _client(location) as (client, _):
        client.enqueue(
            {
                "workflow_name": WORKFLOW,
                "queue_name": queue,
                "workflow_id": workflow_id,
                "app_version": VERSION,
            },
            story,
            argument,
        )


def cancel(location: str, workflow_id: str) -> None:
    """End a workflow for good, wherever it is told; a finished one stays as it is."""
    with _client(location) as (client, _):
        client.cancel_workflow(workflow_id)


def delete_ended_before(location: str, moment: datetime) -> int:
    """Delete what is stored of workflows that ended before `moment`; how many these were."""
    with _client(location) as (client, rows):
        ended = [seen.workflow_id for seen in rows.ended_before(moment)]
        for first in range(0, len(ended), _AT_ONCE):
            client.delete_workflows(ended[first : first + _AT_ONCE])
        rows.drop_idle_queues(moment)
        return len(ended)


# Databases bound the number of values in one statement.
_AT_ONCE = 1000


@contextmanager
def _client(location: str) -> Iterator[tuple[DBOSClient, Rows]]:
    bring_up_to_date(location)
    with connected(location) as pool, telling_what_fails(location):
        yield client_of(pool), Rows(pool)


def client_of(pool: sa.Engine) -> DBOSClient:
    """The library's calls that need no engine at work."""
    hush()
    return DBOSClient(
        system_database_engine=pool,
        serializer=JsonText(),
        application_name=APPLICATION,
        retry_connection_errors=False,
    )
