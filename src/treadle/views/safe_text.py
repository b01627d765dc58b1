"""Untrusted text made safe to print and cut to a width: no escapes, no invisible characters."""

import re
from dataclasses import dataclass
from unicodedata import category, east_asian_width

ELLIPSIS = "…"
UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"
TAB = 4
# Bytes that are no text are held as these: Python's way to write them out as they were.
UNDECODED = 0xDC00

# Characters per cell that are looked at before the rest is cut off unseen: combining marks and
# escape sequences take no cell, and a line of three megabytes must not cost more than a short one.
DEPTH = 16

# Plain patterns: `re` compiles each when it is first needed and remembers it, so that commands
# that draw nothing do not pay for them.
_ESCAPES = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor movements, modes
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # titles, links
    r"|\x1b[ -/]*[0-Z\\^-~]"  # all two-character ones
)
# Direction overrides, joiners, tags and variation selectors: they have no picture of their own, and
# terminals do not agree on how wide the characters around them become.
_INVISIBLE = (
    "[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_CONTROLS = "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"


def sanitize(text: str) -> str:
    """One line of printable characters: escape sequences are gone, stray controls are marked."""
    if text.isascii() and text.isprintable():
        return text
    text = re.sub(_ESCAPES, "", text.expandtabs(TAB))
    return re.sub(_CONTROLS, UNPRINTABLE, re.sub(_INVISIBLE, "", text))


def escape_controls(text: str) -> str:
    """Whole text, its lines as they are, that shows what a terminal would obey or hide."""
    return re.sub(f"(?![\n\t])(?:{_CONTROLS}|{_INVISIBLE})", _escape_control, text)


def _escape_control(found: re.Match[str]) -> str:
    code = ord(found.group())
    if UNDECODED <= code < UNDECODED + 0x100:
        code -= UNDECODED
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def width_of(text: str) -> int:
    """How many cells of a terminal clean text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def head(text: str, width: int) -> str:
    """The longest beginning of clean text that takes at most `width` cells."""
    if text.isascii():
        return text[: max(0, width)]
    taken = 0
    for index, character in enumerate(text):
        taken += _cells(character)
        if taken > width:
            return text[:index]
    return text


def fit(text: str, width: int) -> str:
    """Foreign text as one clean line of at most `width` cells, ending in `…` if it was cut."""
    near = text[: width * DEPTH]
    line = sanitize(near)
    if len(near) == len(text) and width_of(line) <= width:
        return line
    return head(line, width - 1) + ELLIPSIS if width > 0 else ""


@dataclass(frozen=True, slots=True)
class WrappedText:
    """Some lines of a longer text, and how many of its own lines are not among them."""

    lines: tuple[str, ...]
    hidden: int = 0


def wrap(text: str, width: int, *, most: int) -> WrappedText:
    """Foreign text broken at blanks into clean lines; at most `most` of them are kept."""
    near = text[: width * most * DEPTH]
    lines: list[str] = []
    for count, raw in enumerate(near.splitlines()):
        room = most - len(lines)
        pieces = _break_line(sanitize(raw).rstrip(), width, most=room + 1)
        if pieces == [""] and (not lines or not lines[-1]):
            continue
        lines += pieces
        if len(lines) > most:
            begun = count + 1 if room else count
            return WrappedText(tuple(lines[:most]), max(1, _line_count(text) - begun))
    while lines and not lines[-1]:
        lines.pop()
    hidden = 0 if len(near) == len(text) else max(1, _line_count(text) - _line_count(near))
    return WrappedText(tuple(lines), hidden)


def _line_count(text: str) -> int:
    return text.rstrip("\n").count("\n") + 1


def _break_line(line: str, width: int, *, most: int) -> list[str]:
    indent = line[: min(len(line) - len(line.lstrip()), width // 2)]
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
