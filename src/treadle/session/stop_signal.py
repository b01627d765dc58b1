"""How a run is asked to end before its time, and how everything that waits notices it."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

StopReason = Literal["", "interrupted", "cancelled"]

T = TypeVar("T")


@dataclass(slots=True)
class StopSignal:
    """Set at most once: the first reason counts."""

    reason: StopReason = ""
    event: asyncio.Event = field(default_factory=asyncio.Event)

    def request(self, reason: StopReason) -> None:
        if not self.reason:
            self.reason = reason
            self.event.set()


async def unless_stopped(work: Coroutine[Any, Any, T], stop: asyncio.Event) -> T | None:
    """The result of the work; None if the run was asked to stop first. Nothing of it runs on."""
    working = asyncio.ensure_future(work)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when="FIRST_COMPLETED")
    finally:
        stopping.cancel()
        if not working.done():
            working.cancel()
            await asyncio.wait({working})
    return None if working.cancelled() else working.result()
