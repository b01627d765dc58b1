"""Waiting for a moment by the clock on the wall, also on a machine that was put to sleep."""

from datetime import datetime

from treadle.domain.ports import Clock

# The loop's own clock stands still while a laptop is closed, so nobody waits in one piece.
LONGEST_NAP_S = 15.0


async def wait_until(when: datetime, clock: Clock) -> None:
    while (left := (when - clock.now()).total_seconds()) > 0:
        await clock.sleep(min(left, LONGEST_NAP_S))
