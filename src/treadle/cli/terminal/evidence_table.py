"""The table of `treadle verify`: evidence then and now, and what does not agree."""

from collections.abc import Sequence

from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, paragraph
from treadle.cli.terminal.table import align_columns
from treadle.verify.evidence_diff import EvidenceDiff
from treadle.views.check_text import agreement_text, short_exit_text
from treadle.views.safe_text import fit, sanitize

TITLES = ("CHECK", "THEN", "NOW", "TREE", "ENVIRONMENT")
# What the columns behind the title take at most, and what of a title is shown on any screen.
OTHERS, SHORTEST_TITLE, LONGEST_TITLE = 48, 12, 40
# Lines of what a command said that ends otherwise now.
OUTPUT = 10


def evidence_table(compared: Sequence[EvidenceDiff], options: RenderOptions) -> list[Line]:
    """A heading and one line for each piece of evidence; a long title gives way."""
    room = max(SHORTEST_TITLE, min(LONGEST_TITLE, options.width - OTHERS))
    heading: list[Span] = [(title, "quiet") for title in TITLES]
    return align_columns([heading, *(_cells(each, room) for each in compared)])


def disagreement_texts(compared: EvidenceDiff) -> list[str]:
    """One line each, never cut: there may be a command in it that somebody needs whole."""
    return [sanitize(f"✘ {compared.recorded.title}: {reason}") for reason in compared.reasons]


def current_output_lines(compared: EvidenceDiff, options: RenderOptions) -> list[Line]:
    """The end of what a command said, if that speaks against it."""
    if compared.agrees or not compared.current.output:
        return []
    end = "\n".join(compared.current.output.splitlines()[-OUTPUT:])
    said = paragraph(end, style="quiet", options=options, most=OUTPUT, indent="    ")
    return [(("  what it says now:", "plain"),), *said]


def agreement_line(compared: Sequence[EvidenceDiff]) -> Line:
    """How much of it agrees."""
    agreeing = sum(each.agrees for each in compared)
    return (agreement_text(agreeing, len(compared)),)


def _cells(each: EvidenceDiff, room: int) -> list[Span]:
    then, found = each.recorded.evidence, each.current
    now = "-" if found.now is None else short_exit_text(found.now)
    return [
        (fit(each.recorded.title, room), "plain"),
        (short_exit_text(then), "plain"),
        (now, "plain" if each.agrees else "bad"),
        (found.tree[:12] or "missing", "plain" if found.tree == then.tree else "bad"),
        (each.environment, "plain"),
    ]
