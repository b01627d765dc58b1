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

# After so many crashes in a row nobody takes a run up any more, except a person who tells it.
MAX_RECOVERIES = 50
# How long closing waits for the end of a story to be stored.
STORE_TIMEOUT_S = 10.0
# How long until a story is cut that was cancelled or taken over by another process.
WATCH_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Where an engine works: its database, its own name there, and the one queue it serves."""

    location: str
    executor: str
    queue: str


class WorkflowEngine:
    """The `Teller` on a database. Its stories run on the loop that opened it."""

    def __init__(
        self, place: EngineConfig, rows: WorkflowTables, stories: Mapping[str, WorkflowFn]
    ) -> None:
        self._config = place
        self._rows = rows
        self._functions = stories
        self._closing = False
        # Cut here, and still ours in the table.
        self._interrupted: set[str] = set()
        # Those of them that raised, and could not be parked yet.
        self._to_park: set[str] = set()
        # Told to the end, and that is being stored: not to be cut any more.
        self._storing_result: set[asyncio.Task[Json]] = set()
        self._running: dict[str, asyncio.Future[asyncio.Task[Json]]] = {}
        self._registered = self._register()

    async def run(self, workflow_id: str, story: str, argument: Json) -> Json:
        if workflow_id not in self._running:
            seen = await self._query(lambda: self._rows.find(workflow_id))
            move = choose_action(
                seen,
                executor=self._config.executor,
                queue=self._config.queue,
                left_here=workflow_id in self._interrupted,
            )
            match move:
                case ReadResult():
                    return await self._read_result(workflow_id)
                case StartWorkflow():
                    await self._start(workflow_id, story, argument)
                case TakeOverWorkflow():
                    await self._take_over(move.seen)
                case AwaitWorkflow():
                    pass
                case LeaveAlone():
                    raise _owned_elsewhere(move.executor)
                case _:
                    assert_never(move)
        return await self._await_result(workflow_id)

    async def watch(self) -> None:
        """Cut the stories that are not ours any more and park those that raised, for ever."""
        while True:
            await asyncio.sleep(WATCH_INTERVAL_S)
            for workflow_id in tuple(self._to_park):
                await self._park(workflow_id)
            if not self._running:
                continue
            # A database that is away for a while must not stop the watch; the next look tells.
            with suppress(SQLAlchemyError):
                stand = await asyncio.to_thread(self._rows.find_all, list(self._running))
                for seen in stand:
                    if is_lost(seen, executor=self._config.executor, queue=self._config.queue):
                        self._interrupt(seen.workflow_id)

    async def close(self) -> None:
        """End every story; what was not finished goes on with the next telling."""
        self._closing = True
        tasks = [begun.result() for begun in self._running.values() if begun.done()]
        if self._storing_result:
            await asyncio.wait(self._storing_result, timeout=STORE_TIMEOUT_S)
            self._storing_result.clear()
        for workflow_id in list(self._running):
            self._interrupt(workflow_id)
        if tasks:
            await asyncio.wait(tasks)

    def _register(self) -> RegisteredWorkflow:
        async def tell_story(story: str, argument: Json) -> Json:
            return await self._execute(DBOS.workflow_id or "", story, argument)

        return DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERIES)(tell_story)

    async def _execute(self, workflow_id: str, name: str, argument: Json) -> Json:
        await self._end_previous_attempt(workflow_id)
        if self._closing:
            raise asyncio.CancelledError
        task = _current_task()
        begun = self._running_future(workflow_id)
        begun.set_result(task)
        self._interrupted.discard(workflow_id)
        self._to_park.discard(workflow_id)
        task.add_done_callback(lambda _: self._forget(workflow_id, begun))
        try:
            steps = StoredSteps(self._config.location)
            result = await self._find_function(name)(steps, argument)
        except asyncio.CancelledError:
            self._interrupted.add(workflow_id)
            raise
        except Exception as error:
            self._forget(workflow_id, begun)
            await self._park(workflow_id)
            raise BypassError(error) from error
        self._storing_result.add(task)
        task.add_done_callback(self._storing_result.discard)
        return result

    async def _end_previous_attempt(self, workflow_id: str) -> None:
        """Cut a telling that somebody moved back onto our own queue: only the next one counts."""
        while (begun := self._running.get(workflow_id)) is not None and begun.done():
            self._interrupt(workflow_id)
            await asyncio.wait([begun.result()])
            self._forget(workflow_id, begun)

    def _find_function(self, name: str) -> WorkflowFn:
        if name not in self._functions:
            raise WorkflowChanged(
                f"this version of Treadle knows no workflow “{name}”",
                hint="update Treadle here",
            )
        return self._functions[name]

    async def _park(self, workflow_id: str) -> None:
        # What cannot be parked now is tried again, and else taken up at the next start.
        self._interrupted.add(workflow_id)
        self._to_park.add(workflow_id)
        with suppress(SQLAlchemyError):
            await asyncio.to_thread(
                self._rows.release, workflow_id, self._config.executor, PARKED_QUEUE
            )
            self._interrupted.discard(workflow_id)
            self._to_park.discard(workflow_id)

    async def _start(self, workflow_id: str, story: str, argument: Json) -> None:
        with translate_errors(self._config.location), SetWorkflowID(workflow_id):
            # Shielded: half a start would be a story that is stored and never begun.
            starting = DBOS.start_workflow_async(self._registered, story, argument)
            await asyncio.shield(starting)

    async def _take_over(self, seen: StoredWorkflow) -> None:
        if not await self._query(
            lambda: self._rows.move_to_queue(seen, self._config.queue, attempts=0)
        ):
            raise await self._explain_interruption(seen.workflow_id)

    async def _await_result(self, workflow_id: str) -> Json:
        failure: Exception
        try:
            task = await asyncio.shield(self._running_future(workflow_id))
            # Not shielded: whoever stops waiting for the story stops the story.
            return await task
        except BypassError as raised:
            failure = original_error(raised, self._config.location)
        except asyncio.CancelledError:
            if self._closing or _current_task().cancelling():
                raise
            failure = await self._explain_interruption(workflow_id)
        raise failure

    async def _explain_interruption(self, workflow_id: str) -> Exception:
        seen = await self._query(lambda: self._rows.find(workflow_id))
        if seen is None or seen.status is WorkflowStatus.CANCELLED:
            return WorkflowCancelled("the run was cancelled")
        if seen.status is WorkflowStatus.GIVEN_UP:
            return WorkflowCancelled(
                f"the run was cut {MAX_RECOVERIES} times and is given up",
                hint="find out what ends Treadle each time, then resume it",
            )
        return _owned_elsewhere(seen.executor)

    async def _read_result(self, workflow_id: str) -> Json:
        with translate_errors(self._config.location):
            handle: WorkflowHandleAsync[Json] = await DBOS.retrieve_workflow_async(workflow_id)
            return await handle.get_result()

    async def _query(self, question: Callable[[], T]) -> T:
        with translate_errors(self._config.location):
            return await asyncio.to_thread(question)

    def _running_future(self, workflow_id: str) -> "asyncio.Future[asyncio.Task[Json]]":
        if workflow_id not in self._running:
            self._running[workflow_id] = asyncio.get_running_loop().create_future()
        return self._running[workflow_id]

    def _interrupt(self, workflow_id: str) -> None:
        begun = self._running.get(workflow_id)
        if begun is None:
            return  # it ended while the table was read
        if not begun.done():
            begun.cancel()
            del self._running[workflow_id]
        elif begun.result() not in self._storing_result and not begun.result().cancelling():
            # Once: what it does to end itself is not to be cut as well.
            begun.result().cancel()

    def _forget(self, workflow_id: str, begun: "asyncio.Future[asyncio.Task[Json]]") -> None:
        if self._running.get(workflow_id) is begun:
            del self._running[workflow_id]


def _current_task() -> "asyncio.Task[Any]":
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  # we are in a coroutine
    return task


def _owned_elsewhere(executor: str) -> OwnedElsewhere:
    return OwnedElsewhere(
        f"another process works on this run: {executor}", hint="follow it with `treadle logs -f`"
    )
