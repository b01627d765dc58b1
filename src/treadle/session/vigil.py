"""Waits for what the agent does next, no longer than its clocks allow."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from treadle.domain.agent import AgentEvent
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Clock
from treadle.domain.session import TimedOut
from treadle.session.recess import Recess
from treadle.session.time_limits import (
    TICK_S,
    began,
    deadline,
    held,
    looked,
    saw,
    under_way,
    used_processor,
)

# Waits for an event, so many seconds at the most.
NextEvent: TypeAlias = Callable[[float], Awaitable[AgentEvent | Literal["stopped", "late"]]]
# All processor time that the agent's processes have used so far; None where that is not known.
ProcessorTime: TypeAlias = Callable[[], float | None]


class Vigil:
    """One session's watch, kept from its prompt to its end."""

    def __init__(
        self,
        event: NextEvent,
        clock: Clock,
        limits: SessionLimits,
        processor: ProcessorTime,
        recess: Recess | None = None,
    ) -> None:
        self._event = event
        self._clock = clock
        self._limits = limits
        self._processor = processor
        self._recess = recess or Recess(clock)
        self._watch = began(self._now())

    async def next(self) -> AgentEvent | TimedOut | Literal["stopped"]:
        """The next event, the limit that was reached before it came, or the run's stop."""
        while True:
            now = self._look()
            due = deadline(self._watch, self._limits)
            left = due.at - now
            # Only the wall limit holds against an agent that never stops talking.
            if left <= 0 and due.limit == "wall":
                return TimedOut(due.limit, round(due.after_s, 3))
            waited = self._recess.seconds
            event = await self._event(min(left, TICK_S))
            if event == "stopped":
                return event
            now = self._look()
            if event != "late":
                self._watch = saw(self._watch, event, now)
                self._recess.see(under_way(self._watch))
                return event
            if self._recess.on or self._recess.seconds > waited:
                continue  # less time has passed for the session than for us
            if due.limit == "idle":
                self._read_processor(now)
            if left <= TICK_S and deadline(self._watch, self._limits) == due:
                return TimedOut(due.limit, round(due.after_s, 3))

    def _now(self) -> float:
        """By the session's own clock, which stands still in a recess."""
        return self._clock.monotonic() - self._recess.seconds

    def _look(self) -> float:
        now = self._now()
        self._watch = held(looked(self._watch, now), self._recess.waiting, now)
        return now

    def _read_processor(self, now: float) -> None:
        seconds = self._processor()
        if seconds is not None:
            self._watch = used_processor(self._watch, seconds, now)
