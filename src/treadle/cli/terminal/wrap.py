"""Breaks untrusted text into lines of a width, and keeps only the first of them."""

import re
from dataclasses import dataclass

from treadle.views.safe_text import DEPTH, head, sanitize

# The next lines of a list item begin under its text.
_BEFORE_TEXT = re.compile(r"\s*(?:[-*+•] +|\d{1,3}[.)] +)?(?=\S)")


@dataclass(frozen=True, slots=True)
class WrappedText:
    """The first lines of a text, and how many of its lines are left out."""

    lines: tuple[str, ...]
    hidden: int = 0


def wrap(text: str, width: int, *, most: int) -> WrappedText:
    """Untrusted text broken at blanks into sanitized lines, at most `most` of them."""
    near = text[: width * most * DEPTH]
    lines: list[str] = []
    for count, raw in enumerate(near.splitlines()):
        room = most - len(lines)
        pieces = _break_line(sanitize(raw).rstrip(), width, most=room + 1)
        if pieces == [""] and (not lines or not lines[-1]):
            continue
        lines += pieces
        if len(lines) > most:
            included = count + 1 if room else count
            return WrappedText(tuple(lines[:most]), max(1, _line_count(text) - included))
    while lines and not lines[-1]:
        lines.pop()
    hidden = 0 if len(near) == len(text) else max(1, _line_count(text) - _line_count(near))
    return WrappedText(tuple(lines), hidden)


def _line_count(text: str) -> int:
    return text.rstrip("\n").count("\n") + 1


def _break_line(line: str, width: int, *, most: int) -> list[str]:
    start_of_text = _BEFORE_TEXT.match(line)
    indent = " " * min(start_of_text.end() if start_of_text else 0, width // 2)
    pieces: list[str] = []
    rest = line
    while len(pieces) < most:
        start = head(rest, width) or rest[:1]
        if start == rest:
            return [*pieces, rest]
        if indent and len(start) <= len(indent):
            # Not even one character fits beside the indent.
            indent, rest = "", rest.lstrip()
            continue
        blank = start.rfind(" ", len(indent) + 1)
        # A word longer than the line is broken where the line ends.
        end = blank if blank > 0 and rest[len(start)] != " " else len(start)
        pieces.append(rest[:end].rstrip())
        rest = indent + rest[end:].lstrip()
    return pieces
