"""Lines for a run as a whole: start, rounds, pauses, warnings and end."""

from datetime import datetime
from pathlib import PurePath
from typing import TypeAlias, assert_never

from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity, paragraph
from treadle.cli.terminal.summary import summary
from treadle.domain.events.run import (
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
from treadle.views.round_text import round_failure_text
from treadle.views.safe_text import sanitize, width_of
from treadle.views.style import Style
from treadle.views.workflow_labels import (
    instruction_label,
    is_queue,
    is_queue_of_increments,
)

RunEvent: TypeAlias = RunStarted | RunWarned | RunPaused | RunResumed | RunEnded
HandoverEvent: TypeAlias = RunQueued | RunRecovered | RunReopened
RoundEvent: TypeAlias = RoundStarted | RoundFailed | InterruptRequested

# What a run does on a request to stop.
STOPPING = {
    "SIGINT": "Stopping",
    "SIGTERM": "Stopping (SIGTERM)",
    "SIGHUP": "Stopping (the terminal was closed)",
    "cancel": "Cancelling",
    "pause": "Pausing",
}
WARNING_LINES = 6


def run_lines(event: RunEvent, at: datetime, state: LogState, options: RenderOptions) -> list[Line]:
    """The run as a whole; warnings and the end at every level."""
    match event:
        case RunStarted():
            return _started_lines(event, options)
        case RunWarned():
            return marked_lines("!", event.message, options)
        case RunPaused():
            when = clock_time(event.until, now=at, zone=options.zone)
            away = duration((event.until - at).total_seconds())
            return marked_lines("!", f"Paused until {when} ({away}): {event.reason}", options)
        case RunResumed():
            return [(("Resumed", "phase"),)] if options.level >= Verbosity.NORMAL else []
        case RunEnded():
            return summary(event.result, state, options)
        case _:
            assert_never(event)


def handover_lines(event: HandoverEvent, options: RenderOptions) -> list[Line]:
    """How a run passed from one process to another."""
    match event:
        case RunQueued():
            return [(("run ", "quiet"), (event.run, "strong"), (" · queued", "quiet"))]
        case RunRecovered():
            return marked_lines(
                "!", "The run was interrupted; continuing where it stopped", options
            )
        case RunReopened():
            return [((f"Reopened · {limits_text(event.limits)}", "phase"),)]
        case _:
            assert_never(event)


def round_lines(
    event: RoundEvent, at: datetime, state: LogState, options: RenderOptions
) -> list[Line]:
    """The start of a round, its failure, and a request to stop."""
    match event:
        case RoundStarted():
            return (
                _round_started_lines(event, at, state, options)
                if options.level >= Verbosity.NORMAL
                else []
            )
        case RoundFailed():
            return marked_lines("✘", round_failure_text(event), options)
        case InterruptRequested():
            again = " Press Ctrl-C again to quit." if event.by == "SIGINT" else ""
            text = f"{STOPPING[event.by]}: saving the work so far.{again}"
            return marked_lines("!", text, options)
        case _:
            assert_never(event)


def marked_lines(mark: str, text: str, options: RenderOptions) -> list[Line]:
    """A message with a mark before its first line."""
    style: Style = "bad" if mark == "✘" else "warning"
    lines = paragraph(text, style=style, options=options, most=WARNING_LINES)
    return [((f"{mark} ", style), *line[1:]) if n == 0 else line for n, line in enumerate(lines)]


def _started_lines(event: RunStarted, options: RenderOptions) -> list[Line]:
    first: Line = (("run ", "quiet"), (event.run, "strong"))
    if options.level < Verbosity.NORMAL:
        return [first]
    notes: Line = ((f" · {sanitize(event.login)}", "quiet"),) if event.login else ()
    if event.sandbox == "unsandboxed":
        notes += ((" · ", "quiet"), ("unsandboxed", "warning"))
    if event.rehearsal:
        notes += ((" · ", "quiet"), ("rehearsal", "signal"))
    name = PurePath(event.project).name or event.project
    is_per_item = is_queue(event.workflow) and not is_queue_of_increments(event.workflow)
    whose = "each item " if is_per_item else ""
    second: Line = (
        (f"{sanitize(event.workflow)} ", "strong"),
        (name, "strong"),
        (f" · {event.model} · {whose}{limits_text(event.limits)}", "quiet"),
        *notes,
    )
    return [first, second]


def _round_started_lines(
    event: RoundStarted, at: datetime, state: LogState, options: RenderOptions
) -> list[Line]:
    workflow = "" if state.started is None else state.started.workflow
    label = instruction_label(workflow, event.instruction)
    title = f"Round {event.number}"
    time = f" {at.astimezone(options.zone):%H:%M}"
    used = width_of(f"{title} · {label} ") + width_of(time)
    rule = "─" * max(0, options.width - used)
    heading: Line = (
        (title, "phase"),
        (f" · {label} ", "plain"),
        (rule, "quiet"),
        (time, "quiet"),
    )
    return [(), heading]
