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
    """One conversation with an agent. Its methods never raise."""

    def events(self) -> AsyncIterator[AgentEvent]:
        """The agent's events, ending with exactly one `AgentEnded`.

        After `close` it yields the remaining events at once; an interrupted response is among them
        as a `ResponseUsed` with an estimated output. After the end it yields nothing.
        """
        ...

    async def close(self) -> Sequence[LeftoverProcess]:
        """End the agent and all its processes, in bounded time; safe to call twice.

        Interrupts first, then closes the stream, then kills the process tree. On return none of
        the processes can act any more. Returns the background processes that had to be ended.
        """
        ...


class Agent(Protocol):
    """A coding agent."""

    async def open(self, brief: SessionBrief) -> AgentSession:
        """Start a session; a failure to start is the session's only event."""
        ...

    def can_resume(self, session: SessionId, home: Path) -> bool:
        """Whether this home holds what is needed to resume the session."""
        ...


class KillableAgent(Agent, Protocol):
    """An agent that can be ended on the spot, for a person who will not wait."""

    def kill(self) -> None: ...

    async def gone(self) -> None:
        """Wait until nothing is left of the sessions that were closed."""
        ...


class Store(Protocol):
    """An append-only log per run, numbered from 1 without gaps."""

    def append(
        self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
    ) -> Sequence[RecordedEvent]:
        """Store all or none of `events`, durably, in order; returns what was stored.

        With `once`, a key within the run, a second append with the same key stores nothing: so a
        step that runs again after a crash records an event only once.
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
        """Events with a number above `after`, of these types if any are given; unknown events of
        a newer version are skipped."""
        ...


class Log(Protocol):
    """The log of one run, as its workflow writes it."""

    def record(self, event: Event, *, once: str = "") -> None:
        """Append an event; with `once`, a key within the run, only the first time."""
        ...


class StatusBoard(Protocol):
    """The deliverables as people see and edit them (`.treadle/status.json`)."""

    def read(self) -> tuple[Deliverable, ...]:
        """The current deliverables; an invalid file raises ProjectError with its line."""
        ...

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        """Replace the deliverables; False, and nothing done, if the file was changed meanwhile."""
        ...


class Clock(Protocol):
    """The time of a run."""

    def now(self) -> datetime:
        """The wall clock, which a person or a time server may set back or forward."""
        ...

    def monotonic(self) -> float:
        """Seconds in which the machine was awake."""
        ...

    def elapsed(self) -> float:
        """Seconds, with those in which the machine slept; nobody can set them."""
        ...

    async def sleep(self, seconds: float) -> None: ...
