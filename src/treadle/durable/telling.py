"""Telling stories in this process, and going on with those that were cut."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, assert_never

from dbos import DBOS, SetWorkflowID, WorkflowHandleAsync
from sqlalchemy.exc import SQLAlchemyError

from treadle.durable.carried import Raised
from treadle.durable.database import telling_what_fails
from treadle.durable.names import WORKFLOW
from treadle.durable.port import Json, Story, StoryCancelled, StoryChanged, ToldElsewhere
from treadle.durable.rows import Rows
from treadle.durable.standing import (
    PARKED,
    Await,
    Begin,
    LeaveAlone,
    ReadResult,
    Standing,
    Status,
    TakeUp,
    how_to_go_on,
    is_lost,
)
from treadle.durable.steps import StoredSteps, what_was_raised

T = TypeVar("T")
Workflow: TypeAlias = Callable[[str, Json], Coroutine[Any, Any, Json]]

# After so many crashes in a row nobody takes a run up any more, except a person who tells it.
RECOVERIES = 50
# How long closing waits for the end of a story to be stored.
STORING_S = 10.0
# How long until a story is cut that was cancelled or taken over by another process.
WATCH_S = 1.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where an engine works: its database, its own name there, and the one queue it serves."""

    location: str
    executor: str
    queue: str


class Engine:
    """The `Teller` on a database. Its stories run on the loop that opened it."""

    def __init__(self, place: Place, rows: Rows, stories: Mapping[str, Story]) -> None:
        self._place = place
        self._rows = rows
        self._stories = stories
        self._closing = False
        # Cut here, and still ours in the table.
        self._left: set[str] = set()
        # Those of them that raised, and could not be parked yet.
        self._unparked: set[str] = set()
        # Told to the end, and that is being stored: not to be cut any more.
        self._ending: set[asyncio.Task[Json]] = set()
        self._begun: dict[str, asyncio.Future[asyncio.Task[Json]]] = {}
        self._workflow = self._register()

    async def tell(self, workflow_id: str, story: str, argument: Json) -> Json:
        if workflow_id not in self._begun:
            seen = await self._ask(lambda: self._rows.find(workflow_id))
            move = how_to_go_on(
                seen,
                executor=self._place.executor,
                queue=self._place.queue,
                left_here=workflow_id in self._left,
            )
            match move:
                case ReadResult():
                    return await self._result(workflow_id)
                case Begin():
                    await self._start(workflow_id, story, argument)
                case TakeUp():
                    await self._take_up(move.seen)
                case Await():
                    pass
                case LeaveAlone():
                    raise _told_elsewhere(move.executor)
                case _:
                    assert_never(move)
        return await self._end_of(workflow_id)

    async def watch(self) -> None:
        """Cut the stories that are not ours any more and park those that raised, for ever."""
        while True:
            await asyncio.sleep(WATCH_S)
            for workflow_id in tuple(self._unparked):
                await self._park(workflow_id)
            if not self._begun:
                continue
            # A database that is away for a while must not stop the watch; the next look tells.
            with suppress(SQLAlchemyError):
                stand = await asyncio.to_thread(self._rows.among, list(self._begun))
                for seen in stand:
                    if is_lost(seen, executor=self._place.executor, queue=self._place.queue):
                        self._cut(seen.workflow_id)

    async def close(self) -> None:
        """End every story; what was not finished goes on with the next telling."""
        self._closing = True
        tasks = [begun.result() for begun in self._begun.values() if begun.done()]
        if self._ending:
            await asyncio.wait(self._ending, timeout=STORING_S)
            self._ending.clear()
        for workflow_id in list(self._begun):
            self._cut(workflow_id)
        if tasks:
            await asyncio.wait(tasks)

    def _register(self) -> Workflow:
        async def tell_story(story: str, argument: Json) -> Json:
            return await self._told(DBOS.workflow_id or "", story, argument)

        return DBOS.workflow(name=WORKFLOW, max_recovery_attempts=RECOVERIES)(tell_story)

    async def _told(self, workflow_id: str, name: str, argument: Json) -> Json:
        await self._end_earlier(workflow_id)
        if self._closing:
            raise asyncio.CancelledError
        task = _current_task()
        begun = self._beginning(workflow_id)
        begun.set_result(task)
        self._left.discard(workflow_id)
        self._unparked.discard(workflow_id)
        task.add_done_callback(lambda _: self._forget(workflow_id, begun))
        try:
            steps = StoredSteps(self._place.location)
            result = await self._story(name)(steps, argument)
        except asyncio.CancelledError:
            self._left.add(workflow_id)
            raise
        except Exception as error:
            self._forget(workflow_id, begun)
            await self._park(workflow_id)
            raise Raised(error) from error
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return result

    async def _end_earlier(self, workflow_id: str) -> None:
        """Cut a telling that somebody moved back onto our own queue: only the next one counts."""
        while (begun := self._begun.get(workflow_id)) is not None and begun.done():
            self._cut(workflow_id)
            await asyncio.wait([begun.result()])
            self._forget(workflow_id, begun)

    def _story(self, name: str) -> Story:
        if name not in self._stories:
            raise StoryChanged(
                f"this version of Treadle knows no workflow “{name}”",
                hint="update Treadle here",
            )
        return self._stories[name]

    async def _park(self, workflow_id: str) -> None:
        # What cannot be parked now is tried again, and else taken up at the next start.
        self._left.add(workflow_id)
        self._unparked.add(workflow_id)
        with suppress(SQLAlchemyError):
            await asyncio.to_thread(self._rows.release, workflow_id, self._place.executor, PARKED)
            self._left.discard(workflow_id)
            self._unparked.discard(workflow_id)

    async def _start(self, workflow_id: str, story: str, argument: Json) -> None:
        with telling_what_fails(self._place.location), SetWorkflowID(workflow_id):
            # Shielded: half a start would be a story that is stored and never begun.
            starting = DBOS.start_workflow_async(self._workflow, story, argument)
            await asyncio.shield(starting)

    async def _take_up(self, seen: Standing) -> None:
        if not await self._ask(lambda: self._rows.move(seen, self._place.queue, attempts=0)):
            raise await self._why_cut(seen.workflow_id)

    async def _end_of(self, workflow_id: str) -> Json:
        failure: Exception
        try:
            task = await asyncio.shield(self._beginning(workflow_id))
            # Not shielded: whoever stops waiting for the story stops the story.
            return await task
        except Raised as raised:
            failure = what_was_raised(raised, self._place.location)
        except asyncio.CancelledError:
            if self._closing or _current_task().cancelling():
                raise
            failure = await self._why_cut(workflow_id)
        raise failure

    async def _why_cut(self, workflow_id: str) -> Exception:
        seen = await self._ask(lambda: self._rows.find(workflow_id))
        if seen is None or seen.status is Status.CANCELLED:
            return StoryCancelled("the run was cancelled")
        if seen.status is Status.GIVEN_UP:
            return StoryCancelled(
                f"the run was cut {RECOVERIES} times and is given up",
                hint="find out what ends Treadle each time, then resume it",
            )
        return _told_elsewhere(seen.executor)

    async def _result(self, workflow_id: str) -> Json:
        with telling_what_fails(self._place.location):
            handle: WorkflowHandleAsync[Json] = await DBOS.retrieve_workflow_async(workflow_id)
            return await handle.get_result()

    async def _ask(self, question: Callable[[], T]) -> T:
        with telling_what_fails(self._place.location):
            return await asyncio.to_thread(question)

    def _beginning(self, workflow_id: str) -> "asyncio.Future[asyncio.Task[Json]]":
        if workflow_id not in self._begun:
            self._begun[workflow_id] = asyncio.get_running_loop().create_future()
        return self._begun[workflow_id]

    def _cut(self, workflow_id: str) -> None:
        begun = self._begun.get(workflow_id)
        if begun is None:
            return  # it ended while the table was read
        if not begun.done():
            begun.cancel()
            del self._begun[workflow_id]
        elif begun.result() not in self._ending and not begun.result().cancelling():
            # Once: what it does to end itself is not to be cut as well.
            begun.result().cancel()

    def _forget(self, workflow_id: str, begun: "asyncio.Future[asyncio.Task[Json]]") -> None:
        if self._begun.get(workflow_id) is begun:
            del self._begun[workflow_id]


def _current_task() -> "asyncio.Task[Any]":
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  # we are in a coroutine
    return task


def _told_elsewhere(executor: str) -> ToldElsewhere:
    return ToldElsewhere(
        f"another process works on this run: {executor}", hint="follow it with `treadle logs -f`"
    )
