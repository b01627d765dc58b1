"""Signals: the first asks the run to end gracefully, the second ends everything now."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from treadle.wiring.checked_request import SignalName

NAME_OF: dict[int, SignalName] = {
    signal.SIGINT: "SIGINT",
    signal.SIGTERM: "SIGTERM",
    signal.SIGHUP: "SIGHUP",
}
KILLED = 130


@contextmanager
def graceful_interrupts(
    first: Callable[[SignalName], None], second: Callable[[], None]
) -> Iterator[None]:
    """Within the block, the first signal calls `first`; the next calls `second` and exits."""
    loop = asyncio.get_running_loop()
    seen: list[SignalName] = []
    unheard: list[SignalName] = []

    def arrived(name: SignalName) -> None:
        if name not in unheard:
            return  # the block is over
        unheard.remove(name)
        seen.append(name)
        if len(seen) == 1:
            first(name)
            return
        try:
            second()
        finally:
            # Nothing may delay the second signal any more: no cleanup, no waiting.
            os._exit(KILLED)

    def caught(number: int, _: object) -> None:
        name = NAME_OF[number]
        unheard.append(name)
        loop.call_soon_threadsafe(arrived, name)

    before = {number: signal.signal(number, caught) for number in NAME_OF}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        # One that came too late for the loop to hear of: whoever sent it must not be ignored.
        late = tuple(unheard)
        unheard.clear()
        for name in late:
            os.kill(os.getpid(), signal.Signals[name])
