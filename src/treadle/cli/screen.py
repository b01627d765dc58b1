"""What a workflow command shows while it runs: the terminal on stderr, or JSON lines on stdout."""

import asyncio
import sys
from contextlib import suppress
from types import TracebackType

from treadle.cli.options import WorkflowOptions
from treadle.cli.terminal.screen import screen_of
from treadle.cli.terminal.terminal import Terminal
from treadle.cli.terminal.view import Level
from treadle.domain.events.log import Recorded
from treadle.domain.wire import encode_recorded
from treadle.settings.environment import Environment
from treadle.wiring.clock import SystemClock

TICK_S = 0.125


def level_of(options: WorkflowOptions) -> Level:
    if options.debug:
        return Level.DEBUG
    if options.verbose:
        return Level.VERBOSE
    return Level.QUIET if options.quiet or options.json else Level.NORMAL


class Screens:
    """Readers of the event log, and the tick that keeps the live line alive."""

    def __init__(self, environment: Environment, *, level: Level, as_json: bool) -> None:
        screen = screen_of(sys.stderr, environment)
        self._terminal = Terminal(sys.stderr, level=level, screen=screen, clock=SystemClock())
        self._ticking: asyncio.Task[None] | None = None
        self.readers = (self._terminal.show, print_json) if as_json else (self._terminal.show,)

    async def __aenter__(self) -> "Screens":
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
            with suppress(asyncio.CancelledError):
                await self._ticking
        self._terminal.close()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._terminal.tick()


def print_json(recorded: Recorded) -> None:
    """One event as one line, as it is stored."""
    sys.stdout.write(encode_recorded(recorded).decode() + "\n")
    sys.stdout.flush()
