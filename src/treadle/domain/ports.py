"""The ports to the outside world; each has at least two implementations."""

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from treadle.domain.agent import AgentEvent, LeftoverProcess, SessionBrief
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.ids import RunId, SessionId


class AgentSession(Protocol):
    """One conversation. Neither method ever raises, whatever the agent does."""

    def events(self) -> AsyncIterator[AgentEvent]:
        """Facts as they come, ending with exactly one `AgentEnded`.

        After `close` it is the rest of them, without any waiting; a response that was cut short is
        in it as a `ResponseUsed`, its output estimated. After the end there is nothing more.
        """
        ...

    async def close(self) -> Sequence[LeftoverProcess]:
        """End the agent and every process it left, in bounded time; safe to call twice.

        Interrupts first, then closes the stream, then kills the tree. None of them can act when
        this returns, though some may still be cleared away. Returns the background processes that
        had to be ended.
        """
        ...


class Agent(Protocol):
    """A coding agent we drive."""

    async def open(self, brief: SessionBrief) -> AgentSession:
        """Start a session. A failure to start is the session's only event."""
        ...

    def remembers(self, session: SessionId, home: Path) -> bool:
        """Can a session that was cut off be gone on with, out of what this home keeps of it?"""
        ...


class Store(Protocol):
    """An append-only log per run, numbered from 1 without gaps."""

    def append(
        self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
    ) -> Sequence[RecordedEvent]:
        """Store all or none of `events`, durably, in order; what is stored is returned.

        With `once`, a key within the run, a second append with the same key stores nothing: that
        is how a fact is told once by a step that a crash makes run twice.
        """
        ...

    def read(
        self,
        run: RunId,
        *,
        after: int = 0,
        limit: int | None = None,
        types: Collection[str] = (),
    ) -> Iterator[RecordedEvent]:
        """Events with a number above `after`, of these types if any are named; what a newer
        version wrote and this one does not know is left out."""
        ...


class Log(Protocol):
    """The log of one run, as its workflow writes it."""

    def record(self, event: Event, *, once: str = "") -> None:
        """Append an event; with `once`, a key within the run, only the first time."""
        ...


class StatusBoard(Protocol):
    """The deliverables as people see and edit them (`.treadle/status.json`)."""

    def read(self) -> tuple[Deliverable, ...]:
        """The deliverables as they stand; an invalid file raises ProjectError with its line."""
        ...

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        """Replace the deliverables; False, and nothing done, if another changed them meanwhile."""
        ...


class Clock(Protocol):
    """Time as the run sees it."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...
