"""What a workflow command shows while it runs: the terminal on stderr, or JSON lines on stdout."""

import asyncio
import sys
from contextlib import suppress
from dataclasses import replace
from types import TracebackType

from treadle.cli.asking import forget_typed, line_from, means_yes
from treadle.cli.json_lines import JsonLines
from treadle.cli.options import Showing
from treadle.cli.terminal.screen import screen_of
from treadle.cli.terminal.terminal import Terminal
from treadle.cli.terminal.view import Advice, Level
from treadle.domain.events.all_events import Recorded
from treadle.domain.events.run import InterruptRequested
from treadle.settings.environment import Environment
from treadle.wiring.clock import SystemClock

TICK_S = 0.125
PATIENCE_S = 5.0


def level_of(options: Showing) -> Level:
    if options.debug:
        return Level.DEBUG
    if options.verbose:
        return Level.VERBOSE
    return Level.QUIET if options.quiet or options.json else Level.NORMAL


class Screens:
    """Readers of the event log, and the tick that keeps the live line alive."""

    def __init__(
        self, environment: Environment, *, level: Level, as_json: bool, advice: Advice = "given"
    ) -> None:
        screen = replace(screen_of(sys.stderr, environment), advice=advice)
        self._terminal = Terminal(sys.stderr, level=level, screen=screen, clock=SystemClock())
        self._ticking: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        shown = (self._notice, self._terminal.show)
        self._json = JsonLines(sys.stdout) if as_json else None
        self.readers = shown if self._json is None else (*shown, self._json.show)
        self.recall = self._terminal.recall

    async def ask(self, question: str) -> bool:
        """Ask on the terminal; Ctrl-C and Ctrl-D are a no."""
        forget_typed(sys.stdin)
        self._terminal.prompt(f"{question} [y/N]: ")
        answering = asyncio.create_task(line_from(sys.stdin))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({answering, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            answering.cancel()
        answer = answering.result() if answering.done() else None
        (self._terminal.unanswered if answer is None else self._terminal.answered)()
        return means_yes(answer)

    def _enough(self, waited_s: float) -> bool:
        """Who asked for the end does not wait long for a reader that does not read."""
        return self._stopping.is_set() and waited_s >= PATIENCE_S

    def _notice(self, recorded: Recorded) -> None:
        if isinstance(recorded.event, InterruptRequested):
            self._stopping.set()

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
        # The writer is a thread, so there is no asyncio event to wait for.
        waited = 0.0
        while self._json is not None and self._json.busy and not self._enough(waited):
            await asyncio.sleep(TICK_S)
            waited += TICK_S

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._terminal.tick()
