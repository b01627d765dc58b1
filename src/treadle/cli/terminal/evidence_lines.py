"""Lines below a result: the end of an output, objections of the tests, changed evidence files."""

from collections.abc import Sequence
from itertools import chain

from treadle.cli.terminal.styled_lines import Line, RenderOptions, paragraph, sentence
from treadle.domain.events.verification import TouchedFile
from treadle.domain.events.work import ToolFile
from treadle.domain.suite_report import SuiteObjection
from treadle.views.safe_text import sanitize
from treadle.views.verification_text import (
    added_evidence,
    objection_text,
    tool_files_title,
    touched_title,
)

LISTED_MOST = 5
INDENT = "    "


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


def tool_file_block(files: Sequence[ToolFile], options: RenderOptions) -> list[Line]:
    """The changed files that tools obey by themselves, with what these do; none is left out."""
    if not files:
        return []
    lines = [
        _file_lines(each.change, each.path, each.why, options, bad=each.effect == "ask")
        for each in files
    ]
    title: Line = ((f"  ! {tool_files_title(files)}", "warning"),)
    return [title, *chain.from_iterable(lines)]


def touched_block(files: Sequence[TouchedFile], options: RenderOptions) -> list[Line]:
    """The evidence files that were changed or removed, as a warning; then the added ones, of which
    tests are only counted."""
    changed = [each for each in files if each.change != "added"]
    title: list[Line] = [((f"  ! {touched_title(changed)}", "warning"),)] if changed else []
    lines = [
        *(
            _file_lines(each.change, each.path, each.judge, options, bad=each.change == "removed")
            for each in changed
        ),
        *(
            sentence(text, style="plain", options=options, most=len(text))
            for text in added_evidence(files)
        ),
    ]
    return [*title, *chain.from_iterable(lines)]


def _file_lines(
    change: str, path: str, note: str, options: RenderOptions, *, bad: bool
) -> list[Line]:
    """How a file was changed, its path and what it is for; a long path takes several lines."""
    text = f"{change} {path} ({note})"
    if len(INDENT) + len(text) > options.width:
        return sentence(text, style="plain", options=options, most=len(text), indent=INDENT)
    line: Line = (
        (f"{INDENT}{change} ", "bad" if bad else "warning"),
        (f"{path} ", "plain"),
        (f"({note})", "quiet"),
    )
    return [line]


def _more_line(hidden: int, indent: str) -> list[Line]:
    return [((f"{indent}and {hidden} more", "quiet"),)] if hidden > 0 else []
