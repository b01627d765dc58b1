"""Lines for a run as a whole: start, rounds, pauses, warnings and end."""

from datetime import datetime
from pathlib import PurePath
from typing import TypeAlias, assert_never

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity, paragraph
from treadle.cli.terminal.summary import summary
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
from treadle.views.duration import clock_time, duration
from treadle.views.log_state import LogState
from treadle.views.outcome_text import limits_text
from treadle.views.safe_text import width_of

RunEvent: TypeAlias = RunStarted | RunWarned | RunPaused | RunResumed | RunEnded
HandoverEvent: TypeAlias = RunQueued | RunRecovered | RunReopened
RoundEvent: TypeAlias = RoundStarted | RoundFailed | InterruptRequested

WARNING_LINES = 6

INSTRUCTION_LABELS: dict[Instruction, str] = {
    "initializer": "planning the deliverables",
    "coding": "coding",
    "planning": "planning",
    "task": "one task",
    "review": "reviewing",
    "sync": "judging the deliverables",
}


def run_lines(event: RunEvent, at: datetime, story: LogState, view: RenderOptions) -> list[Line]:
    """What is shown of the run as a whole; warnings and the end at every level."""
    match event:
        case RunStarted():
            return _started_lines(event, view)
        case RunWarned():
            return marked_lines("!", event.message, view)
        case RunPaused():
            when = clock_time(event.until, now=at, zone=view.zone)
            away = duration((event.until - at).total_seconds())
            return marked_lines("!", f"Paused until {when} ({away}): {event.reason}", view)
        case RunResumed():
            return [(("Resumed", "phase"),)] if view.level >= Verbosity.NORMAL else []
        case RunEnded():
            return summary(event.result, story, view)
        case _:
            assert_never(event)


def handover_lines(event: HandoverEvent, view: RenderOptions) -> list[Line]:
    """How a run passed from one process to another."""
    match event:
        case RunQueued():
            return [(("run ", "quiet"), (event.run, "strong"), (" · queued", "quiet"))]
        case RunRecovered():
            return marked_lines("!", "The run was cut off; going on where it was", view)
        case RunReopened():
            return [((f"Reopened · {limits_text(event.limits)}", "phase"),)]
        case _:
            assert_never(event)


def round_lines(event: RoundEvent, at: datetime, view: RenderOptions) -> list[Line]:
    """Where a round begins, where one failed, and when somebody asked for the end."""
    match event:
        case RoundStarted():
            return _round_started_lines(event, at, view) if view.level >= Verbosity.NORMAL else []
        case RoundFailed():
            return _round_failed_lines(event, view)
        case InterruptRequested():
            again = " Ctrl-C again ends it at once." if event.by == "SIGINT" else ""
            return marked_lines("!", f"Stopping ({event.by}): saving the work so far.{again}", view)
        case _:
            assert_never(event)


def marked_lines(mark: str, text: str, view: RenderOptions) -> list[Line]:
    """A message that stands out, with its mark before the first line only."""
    style: Style = "bad" if mark == "✘" else "warning"
    lines = paragraph(text, style=style, view=view, most=WARNING_LINES)
    return [((f"{mark} ", style), *line[1:]) if n == 0 else line for n, line in enumerate(lines)]


def _started_lines(event: RunStarted, view: RenderOptions) -> list[Line]:
    first: Line = (("run ", "quiet"), (event.run, "strong"))
    if view.level < Verbosity.NORMAL:
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
        (f" · {event.model} · {limits_text(event.limits)}", "quiet"),
        *notes,
    )
    return [first, second]


def _round_started_lines(event: RoundStarted, at: datetime, view: RenderOptions) -> list[Line]:
    what = INSTRUCTION_LABELS[event.instruction]
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


def _round_failed_lines(event: RoundFailed, view: RenderOptions) -> list[Line]:
    left = event.max_retries - event.consecutive
    then = f"retry {event.consecutive} of {event.max_retries}" if left >= 0 else "no retry left"
    return marked_lines("✘", f"Round {event.number} failed ({then}): {event.message}", view)
