"""Lines for what an agent does in a session: its text, its tools, problems with the service."""

from datetime import datetime
from math import ceil
from typing import TypeAlias, assert_never

from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity, paragraph
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
from treadle.views.duration import clock_time, duration
from treadle.views.figures import money, pluralize, tokens
from treadle.views.log_state import LogState
from treadle.views.style import Style
from treadle.views.tool_state import PendingToolCall
from treadle.views.tool_summary import main_argument, tool_title

SpeechEvent: TypeAlias = AgentStarted | AgentSpoke | AgentThought | MessageSkipped
ToolEvent: TypeAlias = ToolCalled | ToolDecided | ToolFinished | ProcessEnded
ServiceEvent: TypeAlias = UsageReported | ApiRetried | QuotaReported

SPEECH_LINES = {Verbosity.NORMAL: 8, Verbosity.VERBOSE: 40, Verbosity.DEBUG: 200}
OUTPUT_LINES = {Verbosity.NORMAL: 1, Verbosity.VERBOSE: 6, Verbosity.DEBUG: 24}
ERROR_LINES = {Verbosity.NORMAL: 2, Verbosity.VERBOSE: 10, Verbosity.DEBUG: 40}
THOUGHT_LINES = 6
# Before each line that the agent says, and nowhere else: a bar could go on with a warning above it.
SAYS = "> "

# The status of a usage window that is far from spent.
QUOTA_ALLOWED = "allowed"


def speech_lines(event: SpeechEvent, options: RenderOptions) -> list[Line]:
    """The text of the agent from the normal level on, its thoughts at the debug level."""
    match event:
        case AgentSpoke():
            most = SPEECH_LINES.get(options.level, 0)
            return _spoken_lines(event, options, most=most) if most else []
        case AgentStarted():
            text = (
                f"  agent {event.version} · {event.model} · {pluralize(len(event.tools), 'tool')}"
            )
            return [((text, "quiet"),)] if options.level >= Verbosity.VERBOSE else []
        case AgentThought():
            if options.level < Verbosity.DEBUG:
                return []
            return paragraph(
                event.text, style="quiet", options=options, most=THOUGHT_LINES, indent="  ~ "
            )
        case MessageSkipped():
            text = f"  skipped an unknown message: {event.kind}"
            return [((text, "quiet"),)] if options.level >= Verbosity.DEBUG else []
        case _:
            assert_never(event)


def _spoken_lines(event: AgentSpoke, options: RenderOptions, *, most: int) -> list[Line]:
    return paragraph(event.text, style="plain", options=options, most=most, indent=SAYS)


def tool_lines(event: ToolEvent, state: LogState, options: RenderOptions) -> list[Line]:
    """A call with its most useful argument; of its result only errors, at the normal level."""
    if options.level < Verbosity.NORMAL:
        return []
    match event:
        case ToolCalled():
            return _call_lines(event, state)
        case ToolDecided():
            return _decision_lines(event, state, options)
        case ToolFinished():
            return _result_lines(event, state, options)
        case ProcessEnded():
            text = f"  ! ended a process that a tool left behind: {event.command} ({event.pid})"
            return [((text, "warning"),)]
        case _:
            assert_never(event)


def _call_lines(event: ToolCalled, state: LogState) -> list[Line]:
    # Indented below the call that started the sub-agent.
    indent = "    " if event.parent else "  "
    argument = main_argument(event.name, event.input, workspace=state.workspace)
    return [((f"{indent}→ {tool_title(event.name)}", "tool"), (f" {argument}", "plain"))]


def _decision_lines(event: ToolDecided, state: LogState, options: RenderOptions) -> list[Line]:
    if event.decision == "allow":
        reason = f": {event.reason}" if event.reason else ""
        text = f"    allowed{reason}"
        return [((text, "quiet"),)] if options.level >= Verbosity.VERBOSE else []
    text, most = f"denied: {event.reason}", ERROR_LINES[options.level]
    return _failure_lines(text, state, options, most=most)


def _failure_lines(text: str, state: LogState, options: RenderOptions, *, most: int) -> list[Line]:
    """What went wrong; it names its call if another one stands above it."""
    lines = paragraph(text, style="bad", options=options, most=most, indent="      ")
    if state.tools.answered is not None:
        return [(("    ✘ ", "bad"), *_call_spans(state.tools.answered)), *lines]
    return [(("    ✘ ", "bad"), *line[1:]) if n == 0 else line for n, line in enumerate(lines)]


def _call_spans(call: PendingToolCall) -> Line:
    return ((call.title, "tool"), (f" {call.argument}", "plain"))


def _result_lines(event: ToolFinished, state: LogState, options: RenderOptions) -> list[Line]:
    if event.id in state.tools.denied:
        return []  # the denial has been shown; the agent only repeats it
    if event.is_error:
        most = ERROR_LINES[options.level]
        text = first_and_last_lines(event.output.strip() or "failed without a message", most)
        return _failure_lines(text, state, options, most=most + 1)
    if options.level < Verbosity.VERBOSE:
        return []
    most = OUTPUT_LINES[options.level]
    lines = paragraph(event.output, style="quiet", options=options, most=most, indent="    │ ")
    if state.tools.answered is None or not lines:
        return lines
    return [(("    ", "plain"), *_call_spans(state.tools.answered)), *lines]


def first_and_last_lines(text: str, most: int) -> str:
    """The first line and the last ones: the reason of a failure is mostly at the end."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= most:
        return text
    left_out = len(lines) - most
    return "\n".join(
        [lines[0], f"… {pluralize(left_out, 'more line')}", *lines[len(lines) - most + 1 :]]
    )


def service_lines(event: ServiceEvent, at: datetime, options: RenderOptions) -> list[Line]:
    """Problems with the model service from the normal level on, usage at the debug level."""
    if options.level < Verbosity.NORMAL:
        return []
    match event:
        case UsageReported():
            text = f"  usage {tokens(event.usage)} · {money(event.cost_usd)} · {event.model}"
            return [((text, "quiet"),)] if options.level >= Verbosity.DEBUG else []
        case ApiRetried():
            return _retry_lines(event)
        case QuotaReported():
            return _quota_lines(event, at, options)
        case _:
            assert_never(event)


def _retry_lines(event: ApiRetried) -> list[Line]:
    status = f"{event.status} " if event.status else ""
    again = f"attempt {event.attempt} of {event.max_attempts} in {duration(ceil(event.delay_s))}"
    return [((f"  ! model service: {status}{event.error}; {again}", "warning"),)]


def _quota_lines(event: QuotaReported, at: datetime, options: RenderOptions) -> list[Line]:
    if event.status == QUOTA_ALLOWED and options.level < Verbosity.DEBUG:
        return []
    used = "" if event.utilization is None else f", {event.utilization:.0%} used"
    reset = ""
    if event.resets_at is not None:
        reset = f", resets at {clock_time(event.resets_at, now=at, zone=options.zone)}"
    window = event.window.replace("_", " ")
    style: Style = "quiet" if event.status == QUOTA_ALLOWED else "warning"
    mark = "" if event.status == QUOTA_ALLOWED else "! "
    return [((f"  {mark}quota ({window}): {event.status.replace('_', ' ')}{used}{reset}", style),)]
