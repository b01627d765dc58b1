"""Lines for a session: how it began and ended, what it was told, and the signals given in it."""

from typing import TypeAlias, assert_never

from treadle.cli.terminal.duration import duration
from treadle.cli.terminal.figures import counted, money
from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.run_lines import marked
from treadle.cli.terminal.text import fit, width_of
from treadle.cli.terminal.view import Level, Line, View, paragraph
from treadle.cli.terminal.words import outcome_message, outcome_style, outcome_words
from treadle.domain.events.session import (
    PromptSent,
    SessionEnded,
    SessionStarted,
    SignalGiven,
    SignalRefused,
)
from treadle.domain.signal import SignalKind

SessionEvent: TypeAlias = SessionStarted | PromptSent | SessionEnded | SignalGiven | SignalRefused

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
}


def session_lines(event: SessionEvent, view: View) -> list[Line]:
    """What is shown of a session; nothing of it at the quiet level."""
    if view.level < Level.NORMAL:
        return []
    match event:
        case SessionStarted():
            return _started(event) if view.level >= Level.VERBOSE else []
        case PromptSent():
            return _prompt(event, view) if view.level >= Level.DEBUG else []
        case SessionEnded():
            return _ended(event, view)
        case SignalGiven():
            return _signal(event, view)
        case SignalRefused():
            text = f"signal {event.kind} ignored: it is not for the {event.role} to give"
            return [(("  ", "plain"), *line) for line in marked("!", text, view)]
        case _:
            assert_never(event)


def _started(event: SessionStarted) -> list[Line]:
    again = " · resumed" if event.resumed else ""
    text = f"  session {event.session} · {event.role} · {event.model}{again}"
    return [((text, "quiet"),)]


def _prompt(event: PromptSent, view: View) -> list[Line]:
    title: Line = (("  instruction", "phase"),)
    text = paragraph(event.text, style="quiet", view=view, most=PROMPT_LINES, indent="  │ ")
    return [title, *text]


def _ended(event: SessionEnded, view: View) -> list[Line]:
    result = event.result
    cost = money(result.cost_usd) + ("" if result.priced else " (unpriced)")
    figures = f"{duration(result.duration_s)} · {cost} · {counted(result.turns, 'turn')}"
    words, style = outcome_words(result.outcome), outcome_style(result.outcome)
    line: Line = (("  session ", "quiet"), (words, style), (f" · {figures}", "quiet"))
    # A failure is told in full by the round or the run that it ends.
    most = MESSAGE_LINES if view.level >= Level.VERBOSE else 0
    message = outcome_message(result.outcome) if most else ""
    return [line, *paragraph(message, style="quiet", view=view, most=most, indent="    ")]


def _signal(event: SignalGiven, view: View) -> list[Line]:
    name: Line = ((f"  ◆ {event.kind.replace('_', ' ')}", SIGNAL_STYLES[event.kind]),)
    beside = view.width - width_of(name[0][0]) - 2
    if "\n" not in event.text and width_of(short := fit(event.text, view.width)) <= beside:
        return [(*name, (f"  {short}", "plain"))]
    text = paragraph(event.text, style="plain", view=view, most=SIGNAL_LINES, indent="    ")
    return [name, *text]
