"""Lines made of styled spans, and the options they are rendered with: verbosity, width, colours."""

from dataclasses import dataclass
from datetime import tzinfo
from enum import IntEnum
from typing import Literal, TypeAlias

from treadle.cli.terminal.palette import PLAIN, Palette
from treadle.cli.terminal.wrap import wrap
from treadle.views.safe_text import DEPTH, ELLIPSIS, head, sanitize, width_of
from treadle.views.style import Style

NARROWEST = 20
BAR = "│ "

# Whether a summary ends with commands to type: useless if the project is removed after the run.
Advice: TypeAlias = Literal["given", "left out"]


class Verbosity(IntEnum):
    """How much is shown; each level includes the one before."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2
    DEBUG = 3


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Everything that decides how lines look, apart from their content."""

    level: Verbosity = Verbosity.NORMAL
    width: int = 80
    palette: Palette = PLAIN
    zone: tzinfo | None = None  # None: the zone of this machine
    advice: Advice = "given"


Span: TypeAlias = tuple[str, Style]
Line: TypeAlias = tuple[Span, ...]


def format_line(line: Line, options: RenderOptions) -> str:
    """The line as it is printed: sanitized, cut to the width, coloured. All output passes here."""
    spans = [(_sanitize_start(text, options.width * DEPTH), style) for text, style in line]
    if sum(width_of(text) for text, _ in spans) <= options.width:
        return "".join(options.palette.paint(text, style) for text, style in spans).rstrip()
    room = options.width - 1
    painted: list[str] = []
    for text, style in spans:
        kept = head(text, room)
        room -= width_of(kept)
        whole = kept == text
        painted.append(options.palette.paint(kept if whole else kept + ELLIPSIS, style))
        if not whole:
            break
    return "".join(painted)


def _sanitize_start(text: str, most: int) -> str:
    return sanitize(text) if len(text) <= most else sanitize(text[:most]) + ELLIPSIS


def paragraph(
    text: str, *, style: Style, options: RenderOptions, most: int, indent: str = "  "
) -> list[Line]:
    """Untrusted text as indented lines, and a last line that counts what is left out. A bar stands
    before each line, so that none of them looks like a line of Treadle's own, also without colours.
    """
    wrapped = wrap(text, max(options.width, NARROWEST) - width_of(indent), most=most)
    start = quoted(indent)
    lines: list[Line] = [(start, (line, style)) for line in wrapped.lines]
    if wrapped.hidden:
        noun = "line" if wrapped.hidden == 1 else "lines"
        lines.append((start, (f"{ELLIPSIS} {wrapped.hidden} more {noun}", "quiet")))
    return lines


def sentence(
    text: str, *, style: Style, options: RenderOptions, most: int, indent: str = "  "
) -> list[Line]:
    """A sentence of Treadle's own as indented lines. It may hold names that an agent chose, so a
    bar stands before all lines but the first."""
    lines = paragraph(text, style=style, options=options, most=most, indent=indent)
    return [((indent, "plain"), *line[1:]) for line in lines[:1]] + lines[1:]


def quoted(indent: str) -> Span:
    """What stands before untrusted text: the indent, which ends in a bar."""
    is_blank = len(indent) >= len(BAR) and not indent.strip()
    return (f"{indent[: -len(BAR)]}{BAR}" if is_blank else indent), "quiet"
