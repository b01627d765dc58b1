"""Follows the log of a run that may still grow, from any event on."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.run import RunEnded, RunReopened

POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class FollowedLog:
    """A log and the ways to ask about it."""

    read: Callable[[int], Iterable[RecordedEvent]]
    alive: Callable[[], bool]
    sleep: Callable[[float], Awaitable[None]]


async def follow_log(
    log: FollowedLog,
    show: Callable[[RecordedEvent], None],
    *,
    tick: Callable[[], None],
    after: int = 0,
) -> bool:
    """Show everything behind `after` until the run has ended; False if no end was among it.

    What follows the end is shown, too: work may land long after that.
    """
    ended = False
    while True:
        # Asked before reading: what a run wrote just before it died is not missed.
        alive = log.alive()
        for recorded in log.read(after):
            show(recorded)
            after = recorded.seq
            if isinstance(recorded.event, RunEnded | RunReopened):
                ended = isinstance(recorded.event, RunEnded)
        if ended or not alive:
            return ended
        tick()
        await log.sleep(POLL_S)
