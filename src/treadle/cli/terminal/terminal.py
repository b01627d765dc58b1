"""Writes rendered events to a stream and keeps the live line below them."""

from dataclasses import replace
from datetime import datetime
from typing import Protocol, TextIO

from treadle.cli.terminal.render import render
from treadle.cli.terminal.screen import Screen, encodable
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity, format_line
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.oversight import ApprovalAsked
from treadle.domain.events.queue import WaitStarted
from treadle.domain.events.run import InterruptRequested, RunEnded
from treadle.domain.ids import RunId
from treadle.views.duration import duration
from treadle.views.figures import money
from treadle.views.log_state import LogState, apply_event
from treadle.views.outcome_text import headline
from treadle.views.run_state_text import phase_text, tool_text
from treadle.views.safe_text import fit, width_of

ERASE_LINE = "\r\x1b[2K"
# A terminal rings, or marks its window.
BELL = "\a"
# OSC 9: iTerm2, kitty, WezTerm and Ghostty show it on the desktop.
NOTICE = "\x1b]9;{}\a"
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class ScreenClock(Protocol):
    """The part of a clock that a screen needs."""

    def now(self) -> datetime: ...


class TerminalDisplay:
    """A reader of the event log. It never raises: a closed terminal does not stop a run."""

    def __init__(
        self, stream: TextIO, *, level: Verbosity, screen: Screen, clock: ScreenClock
    ) -> None:
        self._stream = stream
        self._level = level
        self._screen = screen
        self._clock = clock
        # A queue and the runs of its items share a screen; the run of the last event is shown.
        self._states: dict[RunId, LogState] = {}
        self._state = LogState()
        self._frame = 0
        self._drawn = False
        self._asking = False
        self._mid_line = False
        self._closed = False

    @property
    def is_closed(self) -> bool:
        """Whether the pipe or the terminal was closed."""
        return self._closed

    def draw_event(self, recorded: RecordedEvent) -> None:
        """Print the lines of this event above the live line."""
        self.skip_event(recorded)
        is_item = self._is_item(recorded.run)
        # Its queue says so as well.
        is_known = is_item and isinstance(recorded.event, InterruptRequested)
        lines = [] if is_known else render(recorded, self._state, self._render_options())
        if lines:
            start = "\n" if self._mid_line else ERASE_LINE if self._drawn else ""
            self._drawn = self._mid_line = False
            # The queue goes on after the end of an item.
            ends_item = is_item and isinstance(recorded.event, RunEnded)
            calls = self._screen.live and not ends_item
            bell = _notice(recorded, self._state) if calls else ""
            text = "".join(f"{line}\n" for line in lines)
            self._write(f"{start}{bell}{text}{self._live_line()}")

    def _is_item(self, run: RunId) -> bool:
        """Whether it is a run of a queue on this screen."""
        items = (each for state in self._states.values() for each in state.queue.records)
        return any(item.started.run == run for item in items)

    def skip_event(self, recorded: RecordedEvent) -> None:
        """Apply an event to the state of its run without printing it."""
        before = self._states.get(recorded.run, LogState())
        self._states[recorded.run] = self._state = apply_event(before, recorded)

    def prompt(self, question: str) -> None:
        """Print a question in place of the live line, until it is answered or abandoned."""
        self.close()
        self._asking = self._mid_line = True
        self._write(question)

    def end_prompt(self) -> None:
        """The question was answered, and Return has ended its line."""
        self._asking = self._mid_line = False

    def abandon_prompt(self) -> None:
        """The question stays unanswered; the next output starts a new line."""
        self._asking = False

    def tick(self) -> None:
        """Redraw the live line; call it a few times a second."""
        self._frame += 1
        if line := self._live_line():
            self._write(line)

    def close(self) -> None:
        """Remove the live line; safe to call twice."""
        if self._drawn:
            self._drawn = False
            self._write(ERASE_LINE)

    def _live_line(self) -> str:
        is_visible = self._screen.live and self._level > Verbosity.QUIET and not self._asking
        if not is_visible or self._state.started is None or self._state.result is not None:
            return ""
        self._drawn = True
        options = self._render_options()
        # A full line would wrap and could not be redrawn, nor could one with the ^C that a
        # terminal writes behind it.
        narrow = replace(options, width=options.width - 1 - len("^C"))
        return ERASE_LINE + render_live_line(self._state, self._clock.now(), self._frame, narrow)

    def _render_options(self) -> RenderOptions:
        return self._screen.render_options(self._stream, self._level)

    def _write(self, text: str) -> None:
        if self._closed:
            return
        try:
            self._stream.write(encodable(text, self._stream.encoding))
            self._stream.flush()
        except BlockingIOError:
            # A child made the shared terminal non-blocking and it is full; this text is lost on
            # the screen, not in the log.
            return
        except OSError:
            self._closed = True


def _notice(recorded: RecordedEvent, state: LogState) -> str:
    """A bell and a desktop notice, if a run asks a person or ends. Many terminals show such a
    notice; the others leave it out."""
    match recorded.event:
        case WaitStarted(needs_person=True) | ApprovalAsked():
            text = "waits for your answer"
        case RunEnded(result=result):
            text = headline(result)
        case _:
            return ""
    workflow = "" if state.started is None else f" {state.started.workflow}"
    return f"{BELL}{NOTICE.format(f'treadle{workflow}: {text}')}"


def render_live_line(state: LogState, now: datetime, frame: int, options: RenderOptions) -> str:
    """Spinner, round, phase and current tool on the left; time and cost on the right."""
    # The cost of a queue is that of its items.
    cost_usd = state.cost_usd + state.queue.cost_usd
    right = f"{duration(state.elapsed_s(now))} · {money(cost_usd)}"
    spinner = FRAMES[frame % len(FRAMES)]
    head, style = phase_text(state, now=now, zone=options.zone)
    left_room = max(0, options.width - width_of(right) - 2)
    phase = fit(head, left_room - 2)
    tool = fit(tool_text(state, now=now), left_room - 2 - width_of(phase) - 3)
    middle: Line = ((" · ", "quiet"), (tool, "plain")) if tool else ()
    used = 2 + width_of(phase) + sum(width_of(text) for text, _ in middle)
    gap = " " * max(2, options.width - used - width_of(right))
    line: Line = (
        (f"{spinner} ", "phase"),
        (phase, style),
        *middle,
        (gap, "plain"),
        (right, "quiet"),
    )
    return format_line(line, options)
