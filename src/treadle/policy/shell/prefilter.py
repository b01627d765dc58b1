"""What is refused by its characters alone, before any parser sees it. Pure."""

import re

from treadle.policy.shell.refusals import unreadable
from treadle.policy.shell.syntax import Unreadable

LONGEST_BYTES = 16 * 1024

# Parsers, bash and the eye of a reader differ on these: controls, blanks that are none, marks
# without width, marks that turn the direction of writing, half characters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U000e0fff]"
)
# More variables, or more here-documents on one line, keep tree-sitter busy for a while.
_MOST_DOLLARS = 1500
_MARKS = re.compile(r"(?:<<[^<\n]*){17}")
_BLANKS = re.compile(r"[ \t\n]{201}")


def refuse_by_characters(line: str) -> Unreadable | None:
    """Why the line goes no further, if so."""
    if len(line) > LONGEST_BYTES:
        return unreadable("line-too-long")
    if _HIDDEN.search(line):
        return unreadable("hidden-characters")
    if not line.isascii() and len(line.encode()) > LONGEST_BYTES:
        return unreadable("line-too-long")
    if line.count("$") > _MOST_DOLLARS or _MARKS.search(line):
        return unreadable("too-many-parts")
    if _BLANKS.search(line):
        return unreadable("hidden-by-space")
    return None
