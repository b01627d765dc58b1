"""Reads an agent's events one by one, until a time limit or the stop of the run."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from typing import Any, Literal

from treadle.domain.agent import AgentEvent


class AgentEventReader:
    """Reads in one task for the whole session, and never ahead of a call to `next`."""

    def __init__(
        self,
        events: AsyncIterator[AgentEvent],
        stop: asyncio.Event,
        problem: Coroutine[Any, Any, str] | None = None,
    ) -> None:
        # Why the session must end, once `problem` has returned that.
        self.problem = ""
        self._event: AgentEvent | None = None
        self._requested = asyncio.Event()
        self._changed = asyncio.Event()
        self._stop = stop
        self._reading = asyncio.create_task(self._read(events))
        self._watchers = [asyncio.create_task(self._watch_stop())]
        if problem is not None:
            self._watchers.append(asyncio.create_task(self._watch_problem(problem)))

    async def next(self, within_s: float) -> AgentEvent | Literal["stopped", "late"]:
        """The next event; `stopped` if the run is stopped or a problem ends the session first,
        `late` if none comes in time."""
        self._changed.clear()
        self._requested.set()
        # An event that is ready wins over the stop.
        await asyncio.sleep(0)
        if self._event is None and not self._is_stopped and not self._reading.done():
            try:
                async with asyncio.timeout(max(0.0, within_s)):
                    await self._changed.wait()
            except TimeoutError:
                return "late"
        if self._event is None:
            if self._is_stopped:
                return "stopped"
            await self._reading  # raises the error that ended it
            return "stopped"
        event, self._event = self._event, None
        return event

    async def close(self) -> None:
        """Stop reading."""
        for task in (self._reading, *self._watchers):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task

    async def _read(self, events: AsyncIterator[AgentEvent]) -> None:
        try:
            await self._requested.wait()
            async for event in events:
                self._event = event
                self._requested.clear()
                self._changed.set()
                await self._requested.wait()
        finally:
            self._changed.set()

    @property
    def _is_stopped(self) -> bool:
        return self._stop.is_set() or bool(self.problem)

    async def _watch_problem(self, problem: Coroutine[Any, Any, str]) -> None:
        self.problem = await problem
        self._changed.set()

    async def _watch_stop(self) -> None:
        await self._stop.wait()
        self._changed.set()
