"""Lines below a result: the end of an output, objections of the tests, changed evidence files."""

from collections.abc import Sequence

from treadle.cli.terminal.styled_lines import Line, RenderOptions, paragraph
from treadle.domain.events.verification import TouchedFile
from treadle.domain.suite_report import SuiteObjection
from treadle.views.safe_text import sanitize
from treadle.views.verification_text import added_evidence, objection_text, touched_title

LISTED_MOST = 5


def last_lines(output: str, options: RenderOptions, *, most: int, indent: str) -> list[Line]:
    """The end of an output, where the reason of a failure mostly is."""
    lines = [line for line in output.splitlines() if sanitize(line).strip()]
    text = "\n".join(lines[-most:])
    return paragraph(text, style="quiet", options=options, most=most, indent=indent)


def objection_lines(
    objections: Sequence[SuiteObjection], options: RenderOptions, *, indent: str
) -> list[Line]:
    """The first objections with location and first line, and how many more there are."""
    lines: list[Line] = []
    for each in objections[:LISTED_MOST]:
        lines.append(((indent, "plain"), ("✘ ", "bad"), (objection_text(each), "plain")))
        lines += paragraph(
            each.summary_line, style="quiet", options=options, most=1, indent=f"{indent}  "
        )
    return [*lines, *_more_line(len(objections) - LISTED_MOST, indent)]


def touched_lines(
    files: Sequence[TouchedFile], *, indent: str, most: int = LISTED_MOST
) -> list[Line]:
    """One line per file: how it was changed, its path and what it is for."""
    lines: list[Line] = [
        (
            (f"{indent}{each.change} ", "bad" if each.change == "removed" else "warning"),
            (f"{each.path} ", "plain"),
            (f"({each.judge})", "quiet"),
        )
        for each in files[:most]
    ]
    return [*lines, *_more_line(len(files) - most, indent)]


def touched_block(files: Sequence[TouchedFile], *, most: int) -> list[Line]:
    """The evidence files that were changed or removed, as a warning; then the added ones."""
    changed = [each for each in files if each.change != "added"]
    added: list[Line] = [((f"  {text}", "plain"),) for text in added_evidence(files)]
    if not changed:
        return added
    title: Line = ((f"  ! {touched_title(changed)}", "warning"),)
    return [title, *touched_lines(changed, indent="    ", most=most), *added]


def _more_line(hidden: int, indent: str) -> list[Line]:
    return [((f"{indent}and {hidden} more", "quiet"),)] if hidden > 0 else []
