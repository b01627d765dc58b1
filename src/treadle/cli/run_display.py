"""Displays a run while it works, on the terminal or as JSON lines, and asks yes or no there."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import TracebackType

from treadle.adapters.clock import SystemClock
from treadle.cli.json_lines import JsonLines
from treadle.cli.plan_prompt import PlanPrompt
from treadle.cli.run_options import OutputOptions
from treadle.cli.terminal.screen import detect_screen
from treadle.cli.terminal.styled_lines import Advice, Verbosity
from treadle.cli.terminal.terminal import TerminalDisplay
from treadle.cli.typed_lines import discard_typed_input, is_yes, read_line
from treadle.domain.agent import Terminal
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.run import InterruptRequested
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.session import Crashed
from treadle.settings.environment import Environment

TICK_S = 0.125
PATIENCE_S = 5.0


def verbosity_of(options: OutputOptions) -> Verbosity:
    if options.debug:
        return Verbosity.DEBUG
    if options.verbose:
        return Verbosity.VERBOSE
    return Verbosity.QUIET if options.quiet or options.json else Verbosity.NORMAL


def has_terminal() -> bool:
    """Whether a person can be asked here."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def find_terminal(environment: Environment) -> Terminal | None:
    """The terminal that an agent can be handed; None if input or output is something else."""
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        return None
    shown = ("TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "NO_COLOR")
    variables = {name: environment.raw[name] for name in shown if environment.raw.get(name)}
    return Terminal(sys.stdin.fileno(), sys.stdout.fileno(), variables)


class RunDisplay:
    """Readers of the event log, and the tick that redraws the live line."""

    def __init__(
        self, environment: Environment, *, level: Verbosity, as_json: bool, advice: Advice = "given"
    ) -> None:
        screen = replace(detect_screen(sys.stderr, environment), advice=advice)
        self._terminal = TerminalDisplay(
            sys.stderr, level=level, screen=screen, clock=SystemClock()
        )
        self._ticking: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._held: list[RecordedEvent] | None = None
        # Of the agent that had the terminal last, if it failed.
        self.agent_exit_code: int | None = None
        readers: tuple[Callable[[RecordedEvent], None], ...] = (
            self._watch_for_interrupt,
            self._draw_or_hold,
        )
        if has_terminal():
            prompt = PlanPrompt(self._terminal, environment.storage)
            readers = (*readers, prompt.read_event)
        self._json = JsonLines(sys.stdout) if as_json else None
        self.readers = readers if self._json is None else (*readers, self._json.write_event)
        self.skip_event = self._terminal.skip_event

    async def ask(self, question: str) -> bool:
        """Ask on the terminal; Ctrl-C and Ctrl-D are a no."""
        discard_typed_input(sys.stdin)
        self._terminal.prompt(f"{question} [y/N]: ")
        answering = asyncio.create_task(read_line(sys.stdin))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({answering, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            answering.cancel()
        answer = answering.result() if answering.done() else None
        (self._terminal.abandon_prompt if answer is None else self._terminal.end_prompt)()
        return is_yes(answer)

    def _gave_up_waiting(self, waited_s: float) -> bool:
        """After an interrupt, a reader that does not read is not waited for any longer."""
        return self._stopping.is_set() and waited_s >= PATIENCE_S

    def _draw_or_hold(self, recorded: RecordedEvent) -> None:
        """Draw the event; while the agent has the terminal, keep it for later."""
        match recorded.event:
            case SessionStarted(in_terminal=True):
                self._terminal.draw_event(recorded)
                self._terminal.close()
                self._held = []
                return
            case SessionEnded(result=result) if self._held is not None:
                outcome = result.outcome
                self.agent_exit_code = outcome.exit_code if isinstance(outcome, Crashed) else None
                held, self._held = self._held, None
                for each in held:
                    self._terminal.draw_event(each)
            case _:
                pass
        if self._held is not None:
            self._held.append(recorded)
            return
        self._terminal.draw_event(recorded)

    def _watch_for_interrupt(self, recorded: RecordedEvent) -> None:
        if isinstance(recorded.event, InterruptRequested):
            self._stopping.set()

    async def __aenter__(self) -> "RunDisplay":
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
        while self._json is not None and self._json.busy and not self._gave_up_waiting(waited):
            await asyncio.sleep(TICK_S)
            waited += TICK_S

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            if self._held is None:
                self._terminal.tick()
