"""Runs the items of queues: each is an ordinary run at the engine of this process."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from contextvars import Context
from dataclasses import dataclass, field

from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.run_list import find_run
from treadle.domain.ids import RunId
from treadle.domain.lifecycle import OVER
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.storage import Storage
from treadle.durable.port import OwnedElsewhere, WorkflowRunner
from treadle.runs.engine_names import ENGINE_WORKFLOW, leg_name
from treadle.runs.request_json import request_json, result_from
from treadle.wiring.checked_request import SignalName
from treadle.workflows.loop.run_history import read_history

FOLLOW_S = 1.0


@dataclass(slots=True)
class ChildRuns:
    """Runs at the engine of this process, for the queues in it, and how they are told of signals.

    A queue may be executed before the engine is open, because the engine continues it then.
    """

    _engine: "asyncio.Future[WorkflowRunner]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _first: list[Callable[[SignalName], None]] = field(default_factory=list)
    _second: list[Callable[[], None]] = field(default_factory=list)

    def open(self, engine: WorkflowRunner) -> None:
        self._engine.set_result(engine)

    async def run(self, request: RunRequest, storage: Storage) -> RunResult:
        """Start the run or continue it, wherever it was, and return its result."""
        while True:
            engine = await self._engine
            name = leg_name(request.run, request.leg)
            # In a context of its own: the engine would take it for a part of the queue's workflow.
            running = asyncio.get_running_loop().create_task(
                _awaited(engine, name, request), context=Context()
            )
            try:
                return await running
            except OwnedElsewhere:
                if (result := await _follow(storage, request.run)) is not None:
                    return result

    @contextmanager
    def signals(
        self, first: Callable[[SignalName], None], second: Callable[[], None]
    ) -> Iterator[None]:
        """For the hosts of children: they are told of signals by the queue."""
        self._first.append(first)
        self._second.append(second)
        try:
            yield
        finally:
            self._first.remove(first)
            self._second.remove(second)

    def interrupt(self, by: SignalName) -> None:
        for first in tuple(self._first):
            first(by)

    def kill(self) -> None:
        for second in tuple(self._second):
            second()


async def _awaited(engine: WorkflowRunner, name: str, request: RunRequest) -> RunResult:
    return result_from(await engine.run(name, ENGINE_WORKFLOW, request_json(request)))


async def _follow(storage: Storage, run: RunId) -> RunResult | None:
    """The result of a run that another process works on; None if that process is gone."""
    while True:
        await asyncio.sleep(FOLLOW_S)
        row = await asyncio.to_thread(find_run, storage, run)
        if row.state in OVER:
            with closing(open_store(storage)) as store:
                return read_history(store.read(run)).result
        if row.state == "lost":
            return None
