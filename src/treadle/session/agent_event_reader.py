"""Reads an agent's events one by one, until a time limit or the stop of the run."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Literal

from treadle.domain.agent import AgentEvent


class AgentEventReader:
    """One task reads for the whole session; it never reads ahead of what was asked for."""

    def __init__(self, events: AsyncIterator[AgentEvent], stop: asyncio.Event) -> None:
        self._event: AgentEvent | None = None
        self._wanted = asyncio.Event()
        self._changed = asyncio.Event()
        self._stop = stop
        self._reading = asyncio.create_task(self._read(events))
        self._stop_watcher = asyncio.create_task(self._watch_stop())

    async def next(self, within_s: float) -> AgentEvent | Literal["stopped", "late"]:
        """The next event; else `stopped` once the run is, or `late` when none came in time."""
        self._changed.clear()
        self._wanted.set()
        # An event that is there already counts, even in the moment of the stop.
        await asyncio.sleep(0)
        if self._event is None and not self._stop.is_set() and not self._reading.done():
            try:
                async with asyncio.timeout(max(0.0, within_s)):
                    await self._changed.wait()
            except TimeoutError:
                return "late"
        if self._event is None:
            if self._stop.is_set():
                return "stopped"
            await self._reading  # it has failed, and this raises what went wrong
            return "stopped"
        event, self._event = self._event, None
        return event

    async def close(self) -> None:
        """Read no more."""
        for task in (self._reading, self._stop_watcher):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task

    async def _read(self, events: AsyncIterator[AgentEvent]) -> None:
        try:
            await self._wanted.wait()
            async for event in events:
                self._event = event
                self._wanted.clear()
                self._changed.set()
                await self._wanted.wait()
        finally:
            self._changed.set()

    async def _watch_stop(self) -> None:
        await self._stop.wait()
        self._changed.set()
