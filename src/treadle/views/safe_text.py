"""Untrusted text made safe to print and cut to a width: no escapes, no invisible characters."""

import re
from unicodedata import category, east_asian_width

ELLIPSIS = "…"
UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"
TAB = 4
# Python decodes a byte that is no text to a surrogate from here on (surrogateescape).
UNDECODED = 0xDC00

# Characters per cell that are examined before the rest is cut off: combining marks and escape
# sequences take no cell, and a line of three megabytes must not cost more than a short one.
DEPTH = 16

# Plain patterns: `re` compiles and caches each at its first use, so that commands that draw
# nothing do not pay for them.
_ESCAPES = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor movements, modes
    # titles, links; ended by the next beginning, or a text of beginnings would take its square
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\^-~]"  # all two-character ones
)
# Direction overrides, joiners, tags and variation selectors: they are invisible, and
# terminals do not agree on how wide the characters around them become.
_INVISIBLE = (
    "[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Of these, what a patch need not have: controls, also as bytes that are no text, and overrides of
# direction.
_DECEPTIVE = (
    r"(?![\n\t\f]|\r(?:\n|\Z))"
    r"[\x00-\x1f\x7f-\x9f\udc80-\udc9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
_CONTROLS = "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"


def sanitize(text: str) -> str:
    """One line of printable characters: escape sequences are removed, other controls replaced."""
    if text.isascii() and text.isprintable():
        return text
    text = re.sub(_ESCAPES, "", text.expandtabs(TAB))
    return re.sub(_CONTROLS, UNPRINTABLE, re.sub(_INVISIBLE, "", text))


def one_spaced(text: str) -> str:
    """Text of an agent beside facts of Treadle's, which stand behind two blanks."""
    return " ".join(text.split())


def escape_controls(text: str) -> str:
    """The whole text, line by line, with everything visible that a terminal would obey or hide."""
    return re.sub(f"(?![\n\t])(?:{_CONTROLS}|{_INVISIBLE})", _escape_control, text)


def escape_patch(patch: str) -> str:
    """A patch in which nothing moves a cursor or changes the order of what one reads. Line ends,
    form feeds, joiners and letters of other encodings stay."""
    return re.sub(_DECEPTIVE, _escape_control, patch)


def escape_json(document: str) -> str:
    """JSON that means the same, with everything written as an escape that a terminal would obey or
    hide. JSON itself has escapes for the first controls only."""
    return re.sub(f"(?!\n)(?:{_CONTROLS}|{_INVISIBLE})", _escape_in_json, document)


def _escape_in_json(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _escape_control(found: re.Match[str]) -> str:
    code = ord(found.group())
    if UNDECODED <= code < UNDECODED + 0x100:
        code -= UNDECODED
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def width_of(text: str) -> int:
    """How many cells of a terminal sanitized text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def head(text: str, width: int) -> str:
    """The longest beginning of sanitized text that takes at most `width` cells."""
    if text.isascii():
        return text[: max(0, width)]
    used = 0
    for index, character in enumerate(text):
        used += _cells(character)
        if used > width:
            return text[:index]
    return text


def fit(text: str, width: int) -> str:
    """Untrusted text as one sanitized line of at most `width` cells; `…` shows that it was cut."""
    near = text[: width * DEPTH]
    line = sanitize(near)
    if len(near) == len(text) and width_of(line) <= width:
        return line
    return head(line, width - 1) + ELLIPSIS if width > 0 else ""
