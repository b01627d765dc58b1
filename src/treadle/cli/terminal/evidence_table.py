"""Evidence then and now as aligned rows, and below them why some of it does not agree."""

from collections.abc import Sequence

from treadle.cli.terminal.table import aligned
from treadle.cli.terminal.text import clean, fit
from treadle.cli.terminal.view import Line, Span, View, paragraph
from treadle.domain.check import Evidence
from treadle.verify.comparing import Compared

TITLES = ("CHECK", "THEN", "NOW", "TREE", "ENVIRONMENT")
# What the columns behind the title take at most, and what of a title is shown on any screen.
OTHERS, SHORTEST_TITLE, LONGEST_TITLE = 48, 12, 40
# Lines of what a command said that ends otherwise now.
OUTPUT = 10


def evidence_table(compared: Sequence[Compared], view: View) -> list[Line]:
    """A heading and one line for each piece of evidence; a long title gives way."""
    room = max(SHORTEST_TITLE, min(LONGEST_TITLE, view.width - OTHERS))
    heading: list[Span] = [(title, "quiet") for title in TITLES]
    return aligned([heading, *(_cells(each, room) for each in compared)])


def reasons_against(compared: Compared) -> list[str]:
    """One line each, never cut: there may be a command in it that somebody needs whole."""
    return [clean(f"✘ {compared.recalled.title}: {reason}") for reason in compared.reasons]


def said_now(compared: Compared, view: View) -> list[Line]:
    """The end of what a command said, if that speaks against it."""
    if compared.agrees or not compared.found.output:
        return []
    end = "\n".join(compared.found.output.splitlines()[-OUTPUT:])
    said = paragraph(end, style="quiet", view=view, most=OUTPUT, indent="    ")
    return [(("  what it says now:", "plain"),), *said]


def agreement(compared: Sequence[Compared]) -> Line:
    """How much of it agrees."""
    agreeing = sum(each.agrees for each in compared)
    whole = agreeing == len(compared)
    return ((f"{agreeing} of {len(compared)} agree", "good" if whole else "bad"),)


def _cells(each: Compared, room: int) -> list[Span]:
    then, found = each.recalled.evidence, each.found
    now = "-" if found.now is None else _ended(found.now)
    return [
        (fit(each.recalled.title, room), "plain"),
        (_ended(then), "plain"),
        (now, "plain" if each.agrees else "bad"),
        (found.tree[:12] or "missing", "plain" if found.tree == then.tree else "bad"),
        (each.surroundings, "plain"),
    ]


def _ended(evidence: Evidence) -> str:
    return "no end" if evidence.exit_code is None else f"exit {evidence.exit_code}"
