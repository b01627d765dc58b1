"""Processes that are killed while they execute a run: at a step, or before a write to its log."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import UnionType
from typing import Literal, TypeVar

from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.ids import RunId
from treadle.domain.ports import Store
from treadle.durable.port import Steps

T = TypeVar("T")
Moment = Literal["before it acts", "before it is stored", "after it is stored"]


class ProcessKilled(BaseException):
    """The process is gone; nothing may catch this."""


@dataclass
class KilledSteps:
    """Steps of a process that is killed at one of them, counted from 1."""

    steps: Steps
    at: int
    moment: Moment
    acted: int = 0

    async def step(
        self, name: str, act: Callable[[], Awaitable[T]], *, returns: type[T] | UnionType
    ) -> T:
        async def acting() -> T:
            self.acted += 1
            self._killed("before it acts")
            result = await act()
            self._killed("before it is stored")
            return result

        result = await self.steps.step(name, acting, returns=returns)
        self._killed("after it is stored")
        return result

    async def patched(self, name: str) -> bool:
        return await self.steps.patched(name)

    def _killed(self, moment: Moment) -> None:
        if (self.acted, self.moment) == (self.at, moment):
            raise ProcessKilled


@dataclass
class KilledStore:
    """The log of a process that is killed before it can store so many things."""

    store: Store
    at: int
    appended: int = 0

    def append(
        self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
    ) -> Sequence[RecordedEvent]:
        self.appended += 1
        if self.appended >= self.at:
            raise ProcessKilled
        return self.store.append(run, events, once=once)

    def read(
        self, run: RunId, *, after: int = 0, limit: int | None = None, types: Collection[str] = ()
    ) -> Iterator[RecordedEvent]:
        return self.store.read(run, after=after, limit=limit, types=types)
