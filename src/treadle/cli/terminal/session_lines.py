"""Lines for a session: start, prompt, signals and end."""

from typing import TypeAlias, assert_never

from treadle.cli.terminal.run_lines import marked_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity, paragraph
from treadle.domain.events.session import (
    PromiseRefused,
    PromptSent,
    SessionEnded,
    SessionStarted,
    SignalGiven,
    SignalRefused,
)
from treadle.domain.signal import SignalKind
from treadle.views.duration import duration
from treadle.views.figures import money, pluralize
from treadle.views.outcome_text import outcome_message, outcome_style, outcome_text
from treadle.views.safe_text import fit, width_of
from treadle.views.style import Style

SessionEvent: TypeAlias = (
    SessionStarted | PromptSent | SessionEnded | SignalGiven | SignalRefused | PromiseRefused
)

PROMPT_LINES = 40
SIGNAL_LINES = 4
MESSAGE_LINES = 6

SIGNAL_STYLES: dict[SignalKind, Style] = {
    "note": "signal",
    "progress": "signal",
    "plan_complete": "good",
    "done": "good",
    "approved": "good",
    "request_changes": "warning",
    "spec_issue": "warning",
    "to_be_discussed": "warning",
    "auto_complete": "good",
}


def session_lines(event: SessionEvent, options: RenderOptions) -> list[Line]:
    """What is shown of a session; nothing of it at the quiet level."""
    if options.level < Verbosity.NORMAL:
        return []
    match event:
        case SessionStarted():
            return _started_lines(event) if options.level >= Verbosity.VERBOSE else []
        case PromptSent():
            return _prompt_lines(event, options) if options.level >= Verbosity.DEBUG else []
        case SessionEnded():
            return _ended_lines(event, options)
        case SignalGiven():
            return _signal_lines(event, options)
        case SignalRefused():
            text = f"signal {event.kind} ignored: the {event.role} may not give it"
            return [(("  ", "plain"), *line) for line in marked_lines("!", text, options)]
        case PromiseRefused():
            text = f"not complete yet, although the agent says so: {event.reason}"
            return [(("  ", "plain"), *line) for line in marked_lines("!", text, options)]
        case _:
            assert_never(event)


def _started_lines(event: SessionStarted) -> list[Line]:
    again = " · resumed" if event.resumed else ""
    text = f"  session {event.session} · {event.role} · {event.model}{again}"
    return [((text, "quiet"),)]


def _prompt_lines(event: PromptSent, options: RenderOptions) -> list[Line]:
    title: Line = (("  instruction", "phase"),)
    text = paragraph(event.text, style="quiet", options=options, most=PROMPT_LINES, indent="  │ ")
    return [title, *text]


def _ended_lines(event: SessionEnded, options: RenderOptions) -> list[Line]:
    result = event.result
    cost = money(result.cost_usd) + ("" if result.priced else " (unpriced)")
    figures = f"{duration(result.duration_s)} · {cost} · {pluralize(result.turns, 'turn')}"
    text, style = outcome_text(result.outcome), outcome_style(result.outcome)
    line: Line = (("  session ", "quiet"), (text, style), (f" · {figures}", "quiet"))
    # The failed round or the end of the run shows the message in full.
    most = MESSAGE_LINES if options.level >= Verbosity.VERBOSE else 0
    message = outcome_message(result.outcome) if most else ""
    return [line, *paragraph(message, style="quiet", options=options, most=most, indent="    ")]


def _signal_lines(event: SignalGiven, options: RenderOptions) -> list[Line]:
    name: Line = ((f"  ◆ {event.kind.replace('_', ' ')}", SIGNAL_STYLES[event.kind]),)
    beside = options.width - width_of(name[0][0]) - 2
    if "\n" not in event.text and width_of(short := fit(event.text, options.width)) <= beside:
        return [(*name, (f"  {short}", "plain"))]
    text = paragraph(event.text, style="plain", options=options, most=SIGNAL_LINES, indent="  > ")
    return [name, *text]
