"""Lines for the life of a run: its start, rounds, pauses, warnings and end."""

from datetime import datetime
from pathlib import PurePath
from typing import TypeAlias, assert_never

from treadle.cli.terminal.duration import clock_time, duration
from treadle.cli.terminal.log_state import LogState
from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.summary import summary
from treadle.cli.terminal.text import width_of
from treadle.cli.terminal.view import Level, Line, View, paragraph
from treadle.cli.terminal.words import ceilings
from treadle.domain.events.run import (
    Instruction,
    InterruptRequested,
    RoundFailed,
    RoundStarted,
    RunEnded,
    RunPaused,
    RunQueued,
    RunRecovered,
    RunReopened,
    RunResumed,
    RunStarted,
    RunWarned,
)

RunEvent: TypeAlias = RunStarted | RunWarned | RunPaused | RunResumed | RunEnded
PassageEvent: TypeAlias = RunQueued | RunRecovered | RunReopened
RoundEvent: TypeAlias = RoundStarted | RoundFailed | InterruptRequested

WARNING_LINES = 6

DOING: dict[Instruction, str] = {
    "initializer": "planning the deliverables",
    "coding": "coding",
    "planning": "planning",
    "task": "one task",
    "review": "reviewing",
    "sync": "judging the deliverables",
}


def run_lines(event: RunEvent, at: datetime, story: LogState, view: View) -> list[Line]:
    """What is shown of the run as a whole; warnings and the end at every level."""
    match event:
        case RunStarted():
            return _started(event, view)
        case RunWarned():
            return marked("!", event.message, view)
        case RunPaused():
            when = clock_time(event.until, now=at, zone=view.zone)
            away = duration((event.until - at).total_seconds())
            return marked("!", f"Paused until {when} ({away}): {event.reason}", view)
        case RunResumed():
            return [(("Resumed", "phase"),)] if view.level >= Level.NORMAL else []
        case RunEnded():
            return summary(event.result, story, view)
        case _:
            assert_never(event)


def passage_lines(event: PassageEvent, view: View) -> list[Line]:
    """How a run passed from one process to another."""
    match event:
        case RunQueued():
            return [(("run ", "quiet"), (event.run, "strong"), (" · queued", "quiet"))]
        case RunRecovered():
            return marked("!", "The run was cut off; going on where it was", view)
        case RunReopened():
            return [((f"Reopened · {ceilings(event.limits)}", "phase"),)]
        case _:
            assert_never(event)


def round_lines(event: RoundEvent, at: datetime, view: View) -> list[Line]:
    """Where a round begins, where one failed, and when somebody asked for the end."""
    match event:
        case RoundStarted():
            return _round_started(event, at, view) if view.level >= Level.NORMAL else []
        case RoundFailed():
            return _round_failed(event, view)
        case InterruptRequested():
            again = " Ctrl-C again ends it at once." if event.by == "SIGINT" else ""
            return marked("!", f"Stopping ({event.by}): saving the work so far.{again}", view)
        case _:
            assert_never(event)


def marked(mark: str, text: str, view: View) -> list[Line]:
    """A message that stands out, with its mark before the first line only."""
    style: Style = "bad" if mark == "✘" else "warning"
    lines = paragraph(text, style=style, view=view, most=WARNING_LINES)
    return [((f"{mark} ", style), *line[1:]) if n == 0 else line for n, line in enumerate(lines)]


def _started(event: RunStarted, view: View) -> list[Line]:
    first: Line = (("run ", "quiet"), (event.run, "strong"))
    if view.level < Level.NORMAL:
        return [first]
    notes: Line = ()
    if event.sandbox == "unsandboxed":
        notes += ((" · ", "quiet"), ("unsandboxed", "warning"))
    if event.rehearsal:
        notes += ((" · ", "quiet"), ("rehearsal", "signal"))
    name = PurePath(event.project).name or event.project
    second: Line = (
        (f"{event.workflow} ", "strong"),
        (name, "strong"),
        (f" · {event.model} · {ceilings(event.limits)}", "quiet"),
        *notes,
    )
    return [first, second]


def _round_started(event: RoundStarted, at: datetime, view: View) -> list[Line]:
    what = DOING[event.instruction]
    title = f"Round {event.number}"
    time = f" {at.astimezone(view.zone):%H:%M}"
    used = width_of(f"{title} · {what} ") + width_of(time)
    rule = "─" * max(0, view.width - used)
    heading: Line = (
        (title, "phase"),
        (f" · {what} ", "plain"),
        (rule, "quiet"),
        (time, "quiet"),
    )
    return [(), heading]


def _round_failed(event: RoundFailed, view: View) -> list[Line]:
    left = event.max_retries - event.consecutive
    then = f"retry {event.consecutive} of {event.max_retries}" if left >= 0 else "no retry left"
    return marked("✘", f"Round {event.number} failed ({then}): {event.message}", view)
