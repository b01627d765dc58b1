"""Handles signals: the first asks the run to end gracefully, the second ends everything now."""

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
    handled: list[SignalName] = []
    pending: list[SignalName] = []

    def handle(name: SignalName) -> None:
        if name not in pending:
            return  # the block is over
        pending.remove(name)
        handled.append(name)
        if len(handled) == 1:
            first(name)
            return
        try:
            second()
        finally:
            # Nothing may delay the exit after the second signal.
            os._exit(KILLED)

    def on_signal(number: int, _: object) -> None:
        name = NAME_OF[number]
        pending.append(name)
        loop.call_soon_threadsafe(handle, name)

    previous_handlers = {number: signal.signal(number, on_signal) for number in NAME_OF}
    try:
        yield
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)
        # A signal that came too late for the loop must not be lost.
        missed = tuple(pending)
        pending.clear()
        for name in missed:
            os.kill(os.getpid(), signal.Signals[name])
