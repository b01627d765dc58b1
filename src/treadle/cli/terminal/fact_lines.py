"""Lines for the title, the labelled facts and the commands of a run."""

from collections.abc import Sequence
from typing import assert_never

from treadle.cli.terminal.deliverable_line import REASON_LINES
from treadle.cli.terminal.evidence_lines import objection_lines, tool_file_block, touched_block
from treadle.cli.terminal.styled_lines import Line, RenderOptions, paragraph, sentence
from treadle.cli.terminal.wrap import wrap
from treadle.views.alerts import alerts_of
from treadle.views.facts import CommandFact, Fact, ObjectionFacts, ReasonFact, RunFact
from treadle.views.log_state import LogState
from treadle.views.next_steps import Command
from treadle.views.outcome_text import RunTitle
from treadle.views.style import Style

LABEL_WIDTH = 14
ALERT_LINES = 2


def title_lines(title: RunTitle, options: RenderOptions, *, most: int) -> list[Line]:
    """The title, and at most so many lines of the message below it."""
    note: list[Line] = [((f"  {title.note}", "plain"),)] if title.note else []
    message = paragraph(title.message, style="plain", options=options, most=most)
    return [((title.text, title.style),), *message, *note]


def fact_lines(facts: Sequence[RunFact], options: RenderOptions) -> list[Line]:
    return [line for fact in facts for line in _fact_lines(fact, options)]


def _fact_lines(fact: RunFact, options: RenderOptions) -> list[Line]:
    match fact:
        case Fact(label=label, text=text, style=style):
            return [fact_line(label, text, style)]
        case CommandFact(label=label, command=command):
            return _command_lines(label, command, options)
        case ReasonFact(text=text):
            indent = " " * (LABEL_WIDTH + 2)
            return sentence(text, style="plain", options=options, most=REASON_LINES, indent=indent)
        case ObjectionFacts(objections=objections):
            return objection_lines(objections, options, indent=" " * (LABEL_WIDTH + 2))
        case _:
            assert_never(fact)


def fact_line(label: str, text: str, style: Style = "plain") -> Line:
    return ((f"  {label:<{LABEL_WIDTH}}", "quiet"), (text, style))


def _command_lines(label: str, command: str, options: RenderOptions) -> list[Line]:
    """A command that can be copied whole: it continues on the next line and is never cut."""
    pieces = wrap(command, options.width - LABEL_WIDTH - 4, most=len(command)).lines
    lines = [f"{piece} \\" for piece in pieces[:-1]] + list(pieces[-1:])
    return [fact_line(label if n == 0 else "", line, "strong") for n, line in enumerate(lines)]


def alert_lines(state: LogState, options: RenderOptions) -> list[Line]:
    """The first things to look at: what tools run by themselves, what is red, gone, weaker or
    changed; then what was added."""
    lines = tool_file_block(state.tool_files, options)
    for alert in alerts_of(state):
        mark = "✘" if alert.style == "bad" else "!"
        text, *more = sentence(
            alert.text, style=alert.style, options=options, most=ALERT_LINES, indent="    "
        )
        lines += [((f"  {mark} ", alert.style), *text[1:]), *more]
    lines += touched_block(state.verified.touched, options)
    return [*lines, ()] if lines else []


def command_table(commands: Sequence[Command]) -> list[Line]:
    """Commands with their purpose as a shell comment, so that a whole line can be copied."""
    longest = max(len(command) for command, _ in commands)
    return [
        (
            *fact_line("next" if n == 0 else "", f"{command:<{longest}}", "strong"),
            (f"  # {purpose}", "quiet"),
        )
        for n, (command, purpose) in enumerate(commands)
    ]
