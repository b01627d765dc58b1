"""The table of `treadle verify`: evidence then and now, and what does not agree."""

from collections.abc import Sequence

from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, paragraph
from treadle.cli.terminal.table import align_columns
from treadle.verify.evidence_diff import PINNED_WORDS, EvidenceDiff
from treadle.views.check_text import agreement_text, short_exit_text
from treadle.views.safe_text import fit, sanitize

TITLES = ("CHECK", "THEN", "NOW", "TREE", "ENVIRONMENT")
# The width of the other columns at most, and the limits for the width of a title.
OTHERS, SHORTEST_TITLE, LONGEST_TITLE = 48, 12, 40
# Lines of output of a command that ends otherwise now.
OUTPUT_LINES = 10


def evidence_table(diffs: Sequence[EvidenceDiff], options: RenderOptions) -> list[Line]:
    """A heading and one line for each piece of evidence; a long title is cut."""
    room = max(SHORTEST_TITLE, min(LONGEST_TITLE, options.width - OTHERS))
    heading: list[Span] = [(title, "quiet") for title in TITLES]
    rows = [
        (_title(before, each, room), *_results(each))
        for before, each in zip((None, *diffs), diffs, strict=False)
    ]
    return align_columns([heading, *rows])


def disagreement_texts(diff: EvidenceDiff) -> list[str]:
    """One line each, never cut: there may be a command in it that somebody needs whole."""
    return [sanitize(f"✘ {diff.recorded.title}: {reason}") for reason in diff.reasons]


def current_output_lines(diff: EvidenceDiff, options: RenderOptions) -> list[Line]:
    """The end of the output now, if it does not agree."""
    if diff.agrees or not diff.current.output:
        return []
    end = "\n".join(diff.current.output.splitlines()[-OUTPUT_LINES:])
    output = paragraph(end, style="quiet", options=options, most=OUTPUT_LINES, indent="    ")
    return [(("  what it says now:", "plain"),), *output]


def agreement_line(diffs: Sequence[EvidenceDiff]) -> Line:
    """How much of it agrees."""
    agreeing = sum(each.agrees for each in diffs)
    return (agreement_text(agreeing, len(diffs)),)


def _title(before: EvidenceDiff | None, each: EvidenceDiff, room: int) -> Span:
    """The title; what was shown with the judges of the base is part of the row before it."""
    recorded = each.recorded
    if recorded.is_pinned and before and before.recorded.subject == recorded.subject:
        return f"  {PINNED_WORDS[recorded.kind]}", "plain"
    return fit(recorded.title, room), "plain"


def _results(each: EvidenceDiff) -> list[Span]:
    then, current = each.recorded.evidence, each.current
    now = "-" if current.now is None else short_exit_text(current.now)
    return [
        (short_exit_text(then), "plain"),
        (now, "plain" if each.agrees else "bad"),
        (current.tree[:12] or "missing", "plain" if current.tree == then.tree else "bad"),
        (each.environment, "plain"),
    ]
