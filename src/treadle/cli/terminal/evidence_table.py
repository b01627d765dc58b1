"""The table of `treadle verify`: evidence then and now, its grade, and what does not agree."""

from collections.abc import Sequence
from typing import Literal

from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, paragraph
from treadle.cli.terminal.table import align_columns
from treadle.domain.check import CheckOrigin
from treadle.verify.checks.evidence_diff import PINNED_WORDS, EvidenceDiff
from treadle.views.check_text import agreement_text, short_exit_text
from treadle.views.safe_text import fit, sanitize
from treadle.views.style import Style

TITLES = ("CHECK", "GRADE", "JUDGE", "THEN", "NOW", "TREE", "ENV")
# The width of the other columns at most, and the limits for the width of a title.
OTHERS, SHORTEST_TITLE, LONGEST_TITLE = 59, 12, 40
# Who wrote what judges, in a column.
JUDGES: dict[CheckOrigin | Literal[""], str] = {
    "spec": "spec",
    "person": "you",
    "agent": "agent",
    "": "-",
}
# Lines of output of a command that ends otherwise now.
OUTPUT_LINES = 10


def evidence_table(diffs: Sequence[EvidenceDiff], options: RenderOptions) -> list[Line]:
    """A heading and one line for each piece of evidence; a long title is cut."""
    room = max(SHORTEST_TITLE, min(LONGEST_TITLE, options.width - OTHERS))
    heading: list[Span] = [(title, "quiet") for title in TITLES]
    rows = [
        (*_subject(before, each, room), *_results(each))
        for before, each in zip((None, *diffs), diffs, strict=False)
    ]
    return align_columns([heading, *rows])


def grade_texts(diffs: Sequence[EvidenceDiff]) -> list[str]:
    """One line for each grade below proven that has a reason, never cut."""
    below = [
        (each.recorded.subject, graded)
        for each in diffs
        if (graded := each.recorded.graded) is not None and graded.grade != "proven" and graded.why
    ]
    texts = (f"{subject}: {graded.grade}: {graded.why}" for subject, graded in below)
    return list(dict.fromkeys(sanitize(text) for text in texts))


def disagreement_texts(diff: EvidenceDiff) -> list[str]:
    """One line each, never cut: there may be a command in it that somebody needs whole."""
    return [sanitize(f"✘ {diff.recorded.title}: {reason}") for reason in diff.reasons]


def current_output_lines(diff: EvidenceDiff, options: RenderOptions) -> list[Line]:
    """The end of the output now, if it does not agree."""
    if diff.agrees or not diff.current.output:
        return []
    end = "\n".join(diff.current.output.splitlines()[-OUTPUT_LINES:])
    output = paragraph(end, style="quiet", options=options, most=OUTPUT_LINES, indent="    ")
    return [(("  output now:", "plain"),), *output]


def agreement_line(diffs: Sequence[EvidenceDiff]) -> Line:
    """How much of it agrees."""
    agreeing = sum(each.agrees for each in diffs)
    return (agreement_text(agreeing, len(diffs)),)


def _subject(before: EvidenceDiff | None, each: EvidenceDiff, room: int) -> list[Span]:
    """Title, grade and judge; a row with the judges of the base continues the one before it."""
    recorded, graded = each.recorded, each.recorded.graded
    if recorded.is_pinned and before and before.recorded.subject == recorded.subject:
        return [(f"  {PINNED_WORDS[recorded.kind]}", "plain"), ("", "plain"), ("", "plain")]
    title = fit(recorded.title, room)
    if graded is None:
        return [(title, "plain"), ("-", "quiet"), ("-", "quiet")]
    style: Style = "good" if graded.grade == "proven" else "plain"
    return [(title, "plain"), (graded.grade, style), (JUDGES[graded.judge], "plain")]


def _results(each: EvidenceDiff) -> list[Span]:
    then, current = each.recorded.evidence, each.current
    now = "-" if current.now is None else short_exit_text(current.now)
    return [
        (short_exit_text(then), "plain"),
        (now, "plain" if each.agrees else "bad"),
        (current.tree[:8] or "missing", "plain" if current.tree == then.tree else "bad"),
        (each.environment, "plain"),
    ]
