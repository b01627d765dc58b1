"""Lines for what the agent does inside a session: speech, tools, and trouble with the service."""

from datetime import datetime
from math import ceil
from typing import TypeAlias, assert_never

from treadle.cli.terminal.duration import clock_time, duration
from treadle.cli.terminal.figures import counted, money, tokens
from treadle.cli.terminal.log_state import LogState
from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.telling import telling_argument, tool_title
from treadle.cli.terminal.view import Level, Line, View, paragraph
from treadle.domain.events.agent import (
    AgentSpoke,
    AgentStarted,
    AgentThought,
    ApiRetried,
    MessageSkipped,
    ProcessEnded,
    QuotaReported,
    ToolCalled,
    ToolDecided,
    ToolFinished,
    UsageReported,
)

SpeechEvent: TypeAlias = AgentStarted | AgentSpoke | AgentThought | MessageSkipped
ToolEvent: TypeAlias = ToolCalled | ToolDecided | ToolFinished | ProcessEnded
ServiceEvent: TypeAlias = UsageReported | ApiRetried | QuotaReported

SPEECH_LINES = {Level.NORMAL: 8, Level.VERBOSE: 40, Level.DEBUG: 200}
OUTPUT_LINES = {Level.NORMAL: 1, Level.VERBOSE: 6, Level.DEBUG: 24}
ERROR_LINES = {Level.NORMAL: 2, Level.VERBOSE: 10, Level.DEBUG: 40}
THOUGHT_LINES = 6

# Said of a window that is far from spent: of no interest to anybody.
QUOTA_AT_EASE = "allowed"


def speech_lines(event: SpeechEvent, view: View) -> list[Line]:
    """What the agent says at the normal level, what it thinks when debugging."""
    match event:
        case AgentSpoke():
            most = SPEECH_LINES.get(view.level, 0)
            return paragraph(event.text, style="plain", view=view, most=most) if most else []
        case AgentStarted():
            text = f"  agent {event.version} · {event.model} · {counted(len(event.tools), 'tool')}"
            return [((text, "quiet"),)] if view.level >= Level.VERBOSE else []
        case AgentThought():
            if view.level < Level.DEBUG:
                return []
            return paragraph(
                event.text, style="quiet", view=view, most=THOUGHT_LINES, indent="  ~ "
            )
        case MessageSkipped():
            text = f"  skipped an unknown message: {event.kind}"
            return [((text, "quiet"),)] if view.level >= Level.DEBUG else []
        case _:
            assert_never(event)


def tool_lines(event: ToolEvent, story: LogState, view: View) -> list[Line]:
    """A call with its most telling argument, then only what went wrong, unless asked for more."""
    if view.level < Level.NORMAL:
        return []
    match event:
        case ToolCalled():
            return _called(event, story)
        case ToolDecided():
            return _decided(event, view)
        case ToolFinished():
            return _finished(event, story, view)
        case ProcessEnded():
            text = f"  ! ended a process that a tool left behind: {event.command} ({event.pid})"
            return [((text, "warning"),)]
        case _:
            assert_never(event)


def _called(event: ToolCalled, story: LogState) -> list[Line]:
    # A call made by a sub-agent stands under the call that started the sub-agent.
    indent = "    " if event.parent else "  "
    argument = telling_argument(event.name, event.input, workspace=story.workspace)
    return [((f"{indent}→ {tool_title(event.name)}", "tool"), (f" {argument}", "plain"))]


def _decided(event: ToolDecided, view: View) -> list[Line]:
    if event.decision == "allow":
        reason = f": {event.reason}" if event.reason else ""
        text = f"    allowed{reason}"
        return [((text, "quiet"),)] if view.level >= Level.VERBOSE else []
    lines = paragraph(
        f"denied: {event.reason}",
        style="bad",
        view=view,
        most=ERROR_LINES[view.level],
        indent="      ",
    )
    return [(("    ✘ ", "bad"), *line[1:]) if n == 0 else line for n, line in enumerate(lines)]


def _finished(event: ToolFinished, story: LogState, view: View) -> list[Line]:
    if event.id in story.denied:
        return []  # the denial has been shown; the agent only repeats it
    if event.is_error:
        most = ERROR_LINES[view.level]
        text = ends_of(event.output.strip() or "failed without a word", most)
        lines = paragraph(text, style="bad", view=view, most=most + 1, indent="      ")
        return [(("    ✘ ", "bad"), *line[1:]) if n == 0 else line for n, line in enumerate(lines)]
    if view.level < Level.VERBOSE:
        return []
    most = OUTPUT_LINES[view.level]
    return paragraph(event.output, style="quiet", view=view, most=most, indent="    │ ")


def ends_of(text: str, most: int) -> str:
    """The first line and the last ones: a failing command says at its end how it failed."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= most:
        return text
    left_out = len(lines) - most
    return "\n".join([lines[0], f"… {left_out} more lines", *lines[len(lines) - most + 1 :]])


def service_lines(event: ServiceEvent, at: datetime, view: View) -> list[Line]:
    """Trouble with the model service at the normal level, plain figures only when debugging."""
    if view.level < Level.NORMAL:
        return []
    match event:
        case UsageReported():
            text = f"  usage {tokens(event.usage)} · {money(event.cost_usd)} · {event.model}"
            return [((text, "quiet"),)] if view.level >= Level.DEBUG else []
        case ApiRetried():
            return _retried(event)
        case QuotaReported():
            return _quota(event, at, view)
        case _:
            assert_never(event)


def _retried(event: ApiRetried) -> list[Line]:
    status = f"{event.status} " if event.status else ""
    again = f"attempt {event.attempt} of {event.max_attempts} in {duration(ceil(event.delay_s))}"
    return [((f"  ! model service: {status}{event.error}; {again}", "warning"),)]


def _quota(event: QuotaReported, at: datetime, view: View) -> list[Line]:
    if event.status == QUOTA_AT_EASE and view.level < Level.DEBUG:
        return []
    used = "" if event.utilization is None else f", {event.utilization:.0%} used"
    reset = ""
    if event.resets_at is not None:
        reset = f", resets at {clock_time(event.resets_at, now=at, zone=view.zone)}"
    window = event.window.replace("_", " ")
    style: Style = "quiet" if event.status == QUOTA_AT_EASE else "warning"
    mark = "" if event.status == QUOTA_AT_EASE else "! "
    return [((f"  {mark}quota ({window}): {event.status.replace('_', ' ')}{used}{reset}", style),)]
