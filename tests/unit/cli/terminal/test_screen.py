"""The live line is kept below the lines, only where it can be drawn, and nothing stops a run."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.cli.sample_handovers import LANDING
from tests.unit.cli.sample_runs import (
    ALL_RUNS,
    RUN,
    START,
    call,
    coding_round,
    quota,
    recorded,
    success,
)
from tests.unit.cli.sample_runs import STARTED as RUN_STARTED
from treadle.cli.terminal.palette import COLOURED, PLAIN
from treadle.cli.terminal.screen import Screen, detect_screen, encodable, window_columns
from treadle.cli.terminal.styled_lines import Verbosity
from treadle.cli.terminal.terminal import TerminalDisplay
from treadle.domain.approval import make_approval
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.oversight import ApprovalAsked
from treadle.domain.events.run import InterruptRequested, RoundStarted
from treadle.settings.environment import parse_environment

ASKED = ApprovalAsked(make_approval(LANDING, run=RUN, step="1: landing", now=START))
LIVE = Screen(live=True, columns=80, zone=UTC)
PIPED = Screen(columns=80, zone=UTC)
# A bell, and a notice for the desktop.
NOTICES = re.compile("\a\x1b]9;([^\x1b\a]*)\a")


class Window(io.StringIO):
    """A terminal as a stream: it only says that it is one."""

    def isatty(self) -> bool:
        return True


class Closed(io.StringIO):
    """A stream whose reader has gone."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


class Full(io.StringIO):
    """A terminal that a child made non-blocking, and that cannot take more now."""

    def write(self, text: str) -> int:
        raise BlockingIOError


@dataclass
class HandClock:
    """Time moves when a test moves it."""

    moment: datetime = START

    def now(self) -> datetime:
        return self.moment


def seen(stream: io.StringIO) -> list[str]:
    """What stands on the screen after all carriage returns and erasures."""
    lines = [""]
    for part in (
        NOTICES.sub("", stream.getvalue())
        .replace("\r\x1b[2K", "\f")
        .replace("\n", "\f\n")
        .split("\f")
    ):
        if part.startswith("\n"):
            lines.append(part[1:])
        else:
            lines[-1] = part
    return lines


def terminal(
    stream: io.StringIO, screen: Screen = LIVE, level: Verbosity = Verbosity.NORMAL
) -> TerminalDisplay:
    return TerminalDisplay(stream, level=level, screen=screen, clock=HandClock())


def live_line(log: list[RecordedEvent], now: datetime) -> str:
    stream = Window()
    shown = TerminalDisplay(stream, level=Verbosity.NORMAL, screen=LIVE, clock=HandClock(now))
    for each in log:
        shown.draw_event(each)
    shown.tick()
    return seen(stream)[-1]


@pytest.mark.parametrize("name", ALL_RUNS)
def test_a_live_screen_ends_with_the_same_lines_as_a_pipe(name: str) -> None:
    window, pipe = Window(), io.StringIO()
    live, piped = terminal(window), terminal(pipe, PIPED)

    for each in ALL_RUNS[name]():
        live.draw_event(each)
        live.tick()
        piped.draw_event(each)
        piped.tick()
    live.close()
    piped.close()

    assert seen(window) == pipe.getvalue().split("\n")
    assert "\r" not in pipe.getvalue()
    assert "\x1b" not in pipe.getvalue()


@pytest.mark.parametrize(
    ("log", "notices"),
    [
        (success, ["treadle deliver: Done: every deliverable passed"]),
        (lambda: recorded([RUN_STARTED, ASKED]), ["treadle deliver: waits for your answer"]),
        (lambda: recorded([RUN_STARTED, *coding_round()]), []),
    ],
)
def test_a_terminal_rings_when_a_run_ends_or_asks(
    log: Callable[[], list[RecordedEvent]], notices: list[str]
) -> None:
    window, pipe = Window(), io.StringIO()
    live, piped = terminal(window), terminal(pipe, PIPED)

    for each in log():
        live.draw_event(each)
        piped.draw_event(each)

    assert NOTICES.findall(window.getvalue()) == notices
    assert "\a" not in pipe.getvalue()


def test_the_live_line_says_round_phase_tool_time_and_cost() -> None:
    log = recorded(
        [RUN_STARTED, *coding_round()[:2], call("t", "Bash", command="make test")], step_s=1
    )

    line = live_line(log, START + timedelta(seconds=62))

    left, right = "⠙ round 2/100 · coding · Bash (58s) make test", "1m · $0.00"
    assert line == f"{left}{right:>{77 - len(left)}}"


def test_the_live_line_counts_down_while_the_quota_is_away() -> None:
    line = live_line(quota()[:8], START + timedelta(hours=4, minutes=59, seconds=50))

    left = "⠙ paused until 17:40, 10s left"
    right = "35s · $1.50"  # neither a pause nor the time between rounds is running time
    assert line == f"{left}{right:>{77 - len(left)}}"


def test_the_live_line_says_when_the_run_is_stopping() -> None:
    log = recorded([RUN_STARTED, RoundStarted(1, "coding"), InterruptRequested("SIGTERM")])

    assert live_line(log, START).startswith("⠙ stopping: saving the work so far ")


def test_there_is_no_live_line_before_the_start_nor_after_the_end() -> None:
    window = Window()
    shown = terminal(window)

    shown.tick()
    for each in success():
        shown.draw_event(each)
    before = window.getvalue()
    shown.tick()
    shown.close()

    assert before.endswith("# details of this run\n")
    assert window.getvalue() == before


def test_quiet_has_no_live_line() -> None:
    window = Window()
    shown = terminal(window, level=Verbosity.QUIET)

    shown.draw_event(success()[0])
    shown.tick()

    assert window.getvalue() == "run 0198c2f4-5b7a-7d31-9c55-e7a17c01d2e4\n"


def test_events_that_are_only_recalled_explain_those_that_are_shown() -> None:
    stream = io.StringIO()
    shown = terminal(stream, PIPED)
    log = success()

    for each in log[:8]:
        shown.skip_event(each)
    shown.draw_event(log[8])

    assert stream.getvalue() == "  → Read SPEC.md\n"


def test_a_reader_that_went_away_does_not_stop_the_run() -> None:
    gone, full = terminal(Closed()), terminal(Full())

    for each in success():
        gone.draw_event(each)
        full.draw_event(each)

    assert (gone.is_closed, full.is_closed) == (True, False)


@pytest.mark.parametrize(
    ("window", "variables", "screen"),
    [
        (True, {"TERM": "xterm"}, Screen(COLOURED, live=True)),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, Screen(PLAIN, live=True)),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, Screen(COLOURED, live=True)),
        (True, {"TERM": "dumb"}, Screen(PLAIN, live=False)),
        (True, {"TERM": "xterm", "COLUMNS": "100"}, Screen(COLOURED, live=True, columns=100)),
        (False, {"TERM": "xterm"}, Screen(PLAIN, live=False)),
    ],
)
def test_what_a_stream_can_show(window: bool, variables: dict[str, str], screen: Screen) -> None:
    stream = Window() if window else io.StringIO()

    assert detect_screen(stream, parse_environment(variables)) == screen


@pytest.mark.parametrize(("columns", "width"), [(None, 80), (5, 20), (100, 100), (400, 120)])
def test_lines_are_neither_too_narrow_nor_too_wide_to_read(columns: int | None, width: int) -> None:
    assert Screen(columns=columns).render_options(io.StringIO()).width == width
    assert window_columns(io.StringIO()) == 80


def test_an_encoding_without_our_marks_gets_question_marks() -> None:
    assert encodable("✔ café …", "latin-1") == "? café ?"
    assert encodable("✔ café …", None) == "✔ café …"
