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

# Waits for an event, at most this many seconds.
NextEvent: TypeAlias = Callable[[float], Awaitable[AgentEvent | Literal["stopped", "late"]]]
# Processor seconds of the agent's own process; None if unknown.
ProcessorTime: TypeAlias = Callable[[], float | None]


class Watchdog:
    """The time limits of one session, from its prompt to its end."""

    def __init__(
        self,
        wait_for_event: NextEvent,
        clock: Clock,
        limits: SessionLimits,
        processor_time: ProcessorTime,
        wait_clock: WaitClock | None = None,
    ) -> None:
        self._wait_for_event = wait_for_event
        self._clock = clock
        self._limits = limits
        self._processor_time = processor_time
        self._wait_clock = wait_clock or WaitClock(clock)
        self._clocks = start_clocks(self._now())

    async def next_event(self) -> AgentEvent | TimedOut | Literal["stopped"]:
        """The next event, the limit that was reached first, or the stop of the run."""
        while True:
            now = self._update_clocks()
            deadline = next_deadline(self._clocks, self._limits)
            seconds_left = deadline.at - now
            # An agent that keeps sending events never lets the other limits expire.
            if seconds_left <= 0 and deadline.limit == "wall":
                return TimedOut(deadline.limit, round(deadline.after_s, 3))
            waited_before = self._wait_clock.seconds
            event = await self._wait_for_event(min(seconds_left, TICK_S))
            if event == "stopped":
                return event
            now = self._update_clocks()
            if event != "late":
                self._clocks = apply_event(self._clocks, event, now)
                self._wait_clock.set_open_calls(open_calls(self._clocks))
                return event
            if self._wait_clock.is_waiting or self._wait_clock.seconds > waited_before:
                continue  # waiting time does not count for the session
            if deadline.limit == "idle":
                self._read_processor(now)
            if seconds_left <= TICK_S and next_deadline(self._clocks, self._limits) == deadline:
                return TimedOut(deadline.limit, round(deadline.after_s, 3))

    def _now(self) -> float:
        """The session's time, which excludes waiting for decisions."""
        return self._clock.monotonic() - self._wait_clock.seconds

    def _update_clocks(self) -> float:
        now = self._now()
        self._clocks = hold_waiting_calls(
            advance_clocks(self._clocks, now), self._wait_clock.waiting, now
        )
        return now

    def _read_processor(self, now: float) -> None:
        seconds = self._processor_time()
        if seconds is not None:
            self._clocks = apply_processor_time(self._clocks, seconds, now)
