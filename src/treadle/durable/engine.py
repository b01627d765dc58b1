"""Runs durable workflows in this process, and continues those that were interrupted."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, assert_never

from dbos import DBOS, SetWorkflowID, WorkflowHandleAsync
from sqlalchemy.exc import SQLAlchemyError

from treadle.durable.connections import translate_errors
from treadle.durable.names import WORKFLOW
from treadle.durable.port import (
    Json,
    OwnedElsewhere,
    WorkflowCancelled,
    WorkflowChanged,
    WorkflowFn,
)
from treadle.durable.stored_steps import StoredSteps, original_error
from treadle.durable.stored_workflow import (
    PARKED_QUEUE,
    AwaitWorkflow,
    LeaveAlone,
    ReadResult,
    StartWorkflow,
    StoredWorkflow,
    TakeOverWorkflow,
    WorkflowStatus,
    choose_action,
    is_lost,
)
from treadle.durable.workflow_errors import BypassError
from treadle.durable.workflow_tables import WorkflowTables

T = TypeVar("T")
RegisteredWorkflow: TypeAlias = Callable[[str, Json], Coroutine[Any, Any, Json]]

# After this many crashes a run is not continued automatically.
MAX_RECOVERIES = 50
# How long closing waits for results to be stored.
STORE_TIMEOUT_S = 10.0
# How often the engine looks for workflows that were cancelled or taken over.
WATCH_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """The database of an engine, its name there, and the queue it serves."""

    location: str
    executor: str
    queue: str


class WorkflowEngine:
    """The `WorkflowRunner` on a database; workflows run on the event loop that opened it."""

    def __init__(
        self, config: EngineConfig, tables: WorkflowTables, workflows: Mapping[str, WorkflowFn]
    ) -> None:
        self._config = config
        self._tables = tables
        self._functions = workflows
        self._closing = False
        # Interrupted here, but still ours in the table.
        self._interrupted: set[str] = set()
        # The interrupted ones that raised and are not parked yet.
        self._to_park: set[str] = set()
        # Finished, while the result is being stored: not to be interrupted.
        self._storing_result: set[asyncio.Task[Json]] = set()
        self._running: dict[str, asyncio.Future[asyncio.Task[Json]]] = {}
        self._registered = self._register()

    async def run(self, workflow_id: str, workflow: str, argument: Json) -> Json:
        if workflow_id not in self._running:
            stored = await self._query(lambda: self._tables.find(workflow_id))
            action = choose_action(
                stored,
                executor=self._config.executor,
                queue=self._config.queue,
                interrupted_here=workflow_id in self._interrupted,
            )
            match action:
                case ReadResult():
                    return await self._read_result(workflow_id)
                case StartWorkflow():
                    await self._start(workflow_id, workflow, argument)
                case TakeOverWorkflow():
                    await self._take_over(action.stored)
                case AwaitWorkflow():
                    pass
                case LeaveAlone():
                    raise _owned_elsewhere(action.executor)
                case _:
                    assert_never(action)
        return await self._await_result(workflow_id)

    async def watch(self) -> None:
        """Interrupt workflows that are not ours any more, and park those that raised; endless."""
        while True:
            await asyncio.sleep(WATCH_INTERVAL_S)
            for workflow_id in tuple(self._to_park):
                await self._park(workflow_id)
            if not self._running:
                continue
            # An outage of the database must not end the watch.
            with suppress(SQLAlchemyError):
                stored_workflows = await asyncio.to_thread(
                    self._tables.find_all, list(self._running)
                )
                for stored in stored_workflows:
                    if is_lost(stored, executor=self._config.executor, queue=self._config.queue):
                        self._interrupt(stored.workflow_id)

    async def close(self) -> None:
        """Interrupt every workflow; the unfinished ones continue at the next start."""
        self._closing = True
        tasks = [started.result() for started in self._running.values() if started.done()]
        if self._storing_result:
            await asyncio.wait(self._storing_result, timeout=STORE_TIMEOUT_S)
            self._storing_result.clear()
        for workflow_id in list(self._running):
            self._interrupt(workflow_id)
        if tasks:
            await asyncio.wait(tasks)

    def _register(self) -> RegisteredWorkflow:
        async def execute_workflow(workflow: str, argument: Json) -> Json:
            return await self._execute(DBOS.workflow_id or "", workflow, argument)

        return DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERIES)(execute_workflow)

    async def _execute(self, workflow_id: str, name: str, argument: Json) -> Json:
        await self._end_previous_attempt(workflow_id)
        if self._closing:
            raise asyncio.CancelledError
        task = _current_task()
        started = self._running_future(workflow_id)
        started.set_result(task)
        self._interrupted.discard(workflow_id)
        self._to_park.discard(workflow_id)
        task.add_done_callback(lambda _: self._forget(workflow_id, started))
        try:
            steps = StoredSteps(self._config.location)
            result = await self._find_function(name)(steps, argument)
        except asyncio.CancelledError:
            self._interrupted.add(workflow_id)
            raise
        except Exception as error:
            self._forget(workflow_id, started)
            await self._park(workflow_id)
            raise BypassError(error) from error
        self._storing_result.add(task)
        task.add_done_callback(self._storing_result.discard)
        return result

    async def _end_previous_attempt(self, workflow_id: str) -> None:
        """Interrupt an attempt whose workflow was moved back to our own queue."""
        while (started := self._running.get(workflow_id)) is not None and started.done():
            self._interrupt(workflow_id)
            await asyncio.wait([started.result()])
            self._forget(workflow_id, started)

    def _find_function(self, name: str) -> WorkflowFn:
        if name not in self._functions:
            raise WorkflowChanged(
                f"unknown workflow “{name}”",
                hint="update Treadle here",
            )
        return self._functions[name]

    async def _park(self, workflow_id: str) -> None:
        # If parking fails, `watch` retries it; else the workflow continues at the next start.
        self._interrupted.add(workflow_id)
        self._to_park.add(workflow_id)
        with suppress(SQLAlchemyError):
            await asyncio.to_thread(
                self._tables.release, workflow_id, self._config.executor, PARKED_QUEUE
            )
            self._interrupted.discard(workflow_id)
            self._to_park.discard(workflow_id)

    async def _start(self, workflow_id: str, workflow: str, argument: Json) -> None:
        with translate_errors(self._config.location), SetWorkflowID(workflow_id):
            # Shielded: otherwise a workflow could be stored and never started.
            starting = DBOS.start_workflow_async(self._registered, workflow, argument)
            await asyncio.shield(starting)

    async def _take_over(self, stored: StoredWorkflow) -> None:
        if not await self._query(
            lambda: self._tables.move_to_queue(stored, self._config.queue, attempts=0)
        ):
            raise await self._explain_interruption(stored.workflow_id)

    async def _await_result(self, workflow_id: str) -> Json:
        failure: Exception
        try:
            task = await asyncio.shield(self._running_future(workflow_id))
            # Not shielded: cancelling the caller cancels the workflow.
            return await task
        except BypassError as bypass:
            failure = original_error(bypass, self._config.location)
        except asyncio.CancelledError:
            if self._closing or _current_task().cancelling():
                raise
            failure = await self._explain_interruption(workflow_id)
        raise failure

    async def _explain_interruption(self, workflow_id: str) -> Exception:
        stored = await self._query(lambda: self._tables.find(workflow_id))
        if stored is None or stored.status is WorkflowStatus.CANCELLED:
            return WorkflowCancelled("the run was cancelled")
        if stored.status is WorkflowStatus.GIVEN_UP:
            return WorkflowCancelled(
                f"the run was interrupted {MAX_RECOVERIES} times, so Treadle gave it up",
                hint="find out what ends Treadle each time, then resume it",
            )
        return _owned_elsewhere(stored.executor)

    async def _read_result(self, workflow_id: str) -> Json:
        with translate_errors(self._config.location):
            handle: WorkflowHandleAsync[Json] = await DBOS.retrieve_workflow_async(workflow_id)
            return await handle.get_result()

    async def _query(self, query: Callable[[], T]) -> T:
        with translate_errors(self._config.location):
            return await asyncio.to_thread(query)

    def _running_future(self, workflow_id: str) -> "asyncio.Future[asyncio.Task[Json]]":
        if workflow_id not in self._running:
            self._running[workflow_id] = asyncio.get_running_loop().create_future()
        return self._running[workflow_id]

    def _interrupt(self, workflow_id: str) -> None:
        started = self._running.get(workflow_id)
        if started is None:
            return  # it ended meanwhile
        if not started.done():
            started.cancel()
            del self._running[workflow_id]
        elif started.result() not in self._storing_result and not started.result().cancelling():
            # Only once, so that its cleanup is not interrupted.
            started.result().cancel()

    def _forget(self, workflow_id: str, started: "asyncio.Future[asyncio.Task[Json]]") -> None:
        if self._running.get(workflow_id) is started:
            del self._running[workflow_id]


def _current_task() -> "asyncio.Task[Any]":
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  # we are in a coroutine
    return task


def _owned_elsewhere(executor: str) -> OwnedElsewhere:
    return OwnedElsewhere(
        f"another process works on this run: {executor}", hint="follow it with `treadle logs -f`"
    )
