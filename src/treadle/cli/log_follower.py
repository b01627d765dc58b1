"""Follows the log of a run that may still grow, from any event on."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.run import RunEnded, RunReopened
from treadle.domain.run import RunResult

POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class FollowedLog:
    """A log, whether its run lives, and how to wait for more."""

    read: Callable[[int], Iterable[RecordedEvent]]
    alive: Callable[[], bool]
    sleep: Callable[[float], Awaitable[None]]


async def follow_log(
    log: FollowedLog,
    show: Callable[[RecordedEvent], None],
    *,
    tick: Callable[[], None],
    after: int = 0,
) -> RunResult | None:
    """Show all events after `after` until the run has ended; its result, or None without an end.

    Events after the end are shown, too: work may land long after it.
    """
    result = None
    while True:
        # Asked before reading, so that nothing is missed that a run wrote just before it died.
        alive = log.alive()
        for recorded in log.read(after):
            show(recorded)
            after = recorded.seq
            if isinstance(recorded.event, RunEnded | RunReopened):
                result = recorded.event.result if isinstance(recorded.event, RunEnded) else None
        if result is not None or not alive:
            return result
        tick()
        await log.sleep(POLL_S)
