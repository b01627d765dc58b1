"""What waits for a person, on a terminal: a sentence behind the name of its run, then commands."""

from treadle.cli.terminal.styled_lines import Line, RenderOptions, sentence
from treadle.views.style import Style
from treadle.views.waiting import WaitingEntry

INDENT = "    "
TEXT_LINES = 3


def waiting_lines(entry: WaitingEntry, options: RenderOptions) -> list[Line]:
    """The entry with its commands."""
    commands: list[Line] = [((INDENT, "plain"), (each, "strong")) for each in entry.commands]
    return [*entry_lines(entry.run, entry.text, "plain", options), *commands]


def entry_lines(run: str, text: str, style: Style, options: RenderOptions) -> list[Line]:
    """A sentence behind the name of the run."""
    indent = " " * (len(run) + len(INDENT))
    first, *more = sentence(text, style=style, options=options, most=TEXT_LINES, indent=indent)
    return [((f"  {run}  ", "strong"), *first[1:]), *more]
