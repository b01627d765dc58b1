"""Enforces the time limits of one session while it waits for the agent's next event."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from treadle.domain.agent import AgentEvent
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Clock
from treadle.domain.session import TimedOut
from treadle.session.time_limits import (
    TICK_S,
    advance_clocks,
    apply_event,
    apply_processor_time,
    hold_waiting_calls,
    next_deadline,
    open_calls,
    start_clocks,
)
from treadle.session.wait_clock import WaitClock

# Waits for an event, so many seconds at the most.
NextEvent: TypeAlias = Callable[[float], Awaitable[AgentEvent | Literal["stopped", "late"]]]
# All processor time that the agent's processes have used so far; None where that is not known.
ProcessorTime: TypeAlias = Callable[[], float | None]


class Watchdog:
    """One session's watch, kept from its prompt to its end."""

    def __init__(
        self,
        event: NextEvent,
        clock: Clock,
        limits: SessionLimits,
        processor: ProcessorTime,
        recess: WaitClock | None = None,
    ) -> None:
        self._wait_for_event = event
        self._clock = clock
        self._limits = limits
        self._processor = processor
        self._wait_clock = recess or WaitClock(clock)
        self._clocks = start_clocks(self._now())

    async def next_event(self) -> AgentEvent | TimedOut | Literal["stopped"]:
        """The next event, the limit that was reached before it came, or the run's stop."""
        while True:
            now = self._update_clocks()
            due = next_deadline(self._clocks, self._limits)
            left = due.at - now
            # Only the wall limit holds against an agent that never stops talking.
            if left <= 0 and due.limit == "wall":
                return TimedOut(due.limit, round(due.after_s, 3))
            waited = self._wait_clock.seconds
            event = await self._wait_for_event(min(left, TICK_S))
            if event == "stopped":
                return event
            now = self._update_clocks()
            if event != "late":
                self._clocks = apply_event(self._clocks, event, now)
                self._wait_clock.set_open_calls(open_calls(self._clocks))
                return event
            if self._wait_clock.is_waiting or self._wait_clock.seconds > waited:
                continue  # less time has passed for the session than for us
            if due.limit == "idle":
                self._read_processor(now)
            if left <= TICK_S and next_deadline(self._clocks, self._limits) == due:
                return TimedOut(due.limit, round(due.after_s, 3))

    def _now(self) -> float:
        """By the session's own clock, which stands still in a recess."""
        return self._clock.monotonic() - self._wait_clock.seconds

    def _update_clocks(self) -> float:
        now = self._now()
        self._clocks = hold_waiting_calls(
            advance_clocks(self._clocks, now), self._wait_clock.waiting, now
        )
        return now

    def _read_processor(self, now: float) -> None:
        seconds = self._processor()
        if seconds is not None:
            self._clocks = apply_processor_time(self._clocks, seconds, now)
