"""Our own SQL on the engine's tables, for what its calls cannot do."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from treadle.durable.finished_steps import ENGINE_MARKS, FinishedStep, finished_step
from treadle.durable.names import SCHEMA
from treadle.durable.port import SHARED_QUEUE
from treadle.durable.stored_workflow import UNFINISHED, StoredWorkflow, WorkflowStatus

_WORKFLOW_COLUMNS = (
    "workflow_uuid",
    "status",
    "executor_id",
    "queue_name",
    "owner_xid",
    "started_at_epoch_ms",
    "completed_at",
    "recovery_attempts",
)
_STEP_COLUMNS = (
    "workflow_uuid",
    "function_id",
    "function_name",
    "started_at_epoch_ms",
    "completed_at_epoch_ms",
)


class WorkflowTables:
    """Reads workflows and moves them between queues; a move checks the state that was read."""

    def __init__(self, pool: sa.Engine) -> None:
        self._pool = pool
        schema = None if pool.dialect.name == "sqlite" else SCHEMA
        self._table = sa.table("workflow_status", *map(_column, _WORKFLOW_COLUMNS), schema=schema)
        self._steps = sa.table("operation_outputs", *map(_column, _STEP_COLUMNS), schema=schema)
        self._queues = sa.table("queues", *map(_column, ("name", "created_at")), schema=schema)

    def exist(self) -> bool:
        """Whether the engine's tables have been created."""
        return sa.inspect(self._pool).has_table(self._table.name, self._table.schema)

    def find(self, workflow_id: str) -> StoredWorkflow | None:
        return next(iter(self.find_all([workflow_id])), None)

    def find_all(self, workflow_ids: Collection[str]) -> Sequence[StoredWorkflow]:
        return self._select(self._table.c.workflow_uuid.in_(list(workflow_ids)))

    def unfinished(self) -> Sequence[StoredWorkflow]:
        """All workflows that run or wait, including parked ones."""
        return self._select(self._table.c.status.in_([status.value for status in UNFINISHED]))

    def ended_before(self, moment: datetime) -> Sequence[StoredWorkflow]:
        """Workflows that finished or were cancelled before `moment`."""
        row = self._table.c
        return self._select(
            row.status.not_in([status.value for status in UNFINISHED])
            & (row.completed_at < _epoch_ms(moment))
        )

    def finished_steps(self, workflow_id: str) -> Sequence[FinishedStep]:
        """In their order."""
        row = self._steps.c
        query = (
            sa.select(row.function_name, row.started_at_epoch_ms, row.completed_at_epoch_ms)
            .where(row.workflow_uuid == workflow_id, row.function_name.not_like(ENGINE_MARKS))
            .order_by(row.function_id)
        )
        with self._pool.begin() as connection:
            return [finished_step(*row_values) for row_values in connection.execute(query)]

    def drop_idle_queues(self, moment: datetime) -> None:
        """Delete the queues of ended runs, which killed processes leave behind."""
        row, queue = self._table.c, self._queues.c
        busy_queues = sa.select(row.queue_name).where(
            row.status.in_([status.value for status in UNFINISHED]), row.queue_name.is_not(None)
        )
        delete_idle = sa.delete(self._queues).where(
            queue.name.not_like(f"{SHARED_QUEUE}%"),
            queue.created_at < _epoch_ms(moment),
            queue.name.not_in(busy_queues),
        )
        with self._pool.begin() as connection:
            connection.execute(delete_idle)

    def move_to_queue(
        self, stored: StoredWorkflow, queue: str, *, attempts: int | None = None
    ) -> bool:
        """Put a workflow on `queue`, if its state has not changed.

        `attempts` replaces its number of recoveries, which `MAX_RECOVERIES` limits.
        """
        row = self._table.c
        return self._requeue(
            queue,
            row.workflow_uuid == stored.workflow_id,
            row.status == stored.status.value,
            sa.func.coalesce(row.executor_id, "") == stored.executor,
            sa.func.coalesce(row.queue_name, "") == stored.queue,
            **({} if attempts is None else {"recovery_attempts": attempts}),
        )

    def hand_back(self, executor: str, queue: str) -> bool:
        """Put the unfinished workflows of `executor` on `queue`."""
        row = self._table.c
        return self._requeue(
            queue, row.status == WorkflowStatus.RUNNING.value, row.executor_id == executor
        )

    def release(self, workflow_id: str, executor: str, queue: str) -> bool:
        """Put a workflow that `executor` runs on `queue`."""
        row = self._table.c
        return self._requeue(
            queue,
            row.workflow_uuid == workflow_id,
            row.status == WorkflowStatus.RUNNING.value,
            row.executor_id == executor,
        )

    def _requeue(self, queue: str, *where: sa.ColumnElement[bool], **other_values: int) -> bool:
        # Without the owner's token, the previous attempt cannot store anything any more.
        change = (
            sa.update(self._table)
            .where(*where)
            .values(
                status=WorkflowStatus.WAITING.value,
                queue_name=queue,
                owner_xid=None,
                started_at_epoch_ms=None,
                completed_at=None,
                **other_values,
            )
        )
        with self._pool.begin() as connection:
            return connection.execute(change).rowcount > 0

    def _select(self, where: sa.ColumnElement[bool]) -> Sequence[StoredWorkflow]:
        row = self._table.c
        query = sa.select(row.workflow_uuid, row.status, row.executor_id, row.queue_name)
        with self._pool.begin() as connection:
            return [
                _stored_workflow(*row_values)
                for row_values in connection.execute(query.where(where))
            ]


def _stored_workflow(workflow_id: str, status: str, executor: Any, queue: Any) -> StoredWorkflow:
    return StoredWorkflow(workflow_id, WorkflowStatus(status), executor or "", queue or "")


def _epoch_ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _column(name: str) -> sa.ColumnClause[Any]:
    return sa.column(name)
