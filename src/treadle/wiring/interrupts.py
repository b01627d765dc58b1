"""Signals: the first asks the run to end gracefully, the second ends everything now."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

Name = Literal["SIGINT", "SIGTERM", "SIGHUP", "cancel"]
NAMES: tuple[Literal["SIGINT", "SIGTERM", "SIGHUP"], ...] = ("SIGINT", "SIGTERM", "SIGHUP")
KILLED = 130


@contextmanager
def unheeded(first: Callable[[Name], None], second: Callable[[], None]) -> Iterator[None]:
    """For a run whose process belongs to others, too: signals are not for it."""
    yield


@contextmanager
def graceful_interrupts(
    first: Callable[[Name], None], second: Callable[[], None]
) -> Iterator[None]:
    """Within the block, the first signal calls `first`; the next calls `second` and exits."""
    loop = asyncio.get_running_loop()
    seen: list[Name] = []

    def arrived(name: Name) -> None:
        seen.append(name)
        if len(seen) == 1:
            first(name)
            return
        try:
            second()
        finally:
            # Nothing may delay the second signal any more: no cleanup, no waiting.
            os._exit(KILLED)

    for name in NAMES:
        loop.add_signal_handler(signal.Signals[name], arrived, name)
    try:
        yield
    finally:
        for name in NAMES:
            loop.remove_signal_handler(signal.Signals[name])
