"""Here-documents that tree-sitter stumbles over, taken out of a line for it. Pure.

With a quoted mark the text is nothing but text. Where it ends is found here by bash's own rule, and
that it begins there at all must be seen by both parsers: one as `<`, the other as `<<`.
"""

import re
from dataclasses import dataclass, field

from treadle.policy.shell.outline import Mark

# Behind the mark only what cannot hold another one, nor carry the line over its end.
_OPENING = re.compile(
    rb"""(?<!<)<<(?P<quote>['"])(?P<mark>\w+)(?P=quote)(?P<rest>[ \t\w./:=,@%+*?~|&;>-]*)\n"""
)


@dataclass(frozen=True, slots=True)
class Lifted:
    """A line of the same length, and what its marks stand for in the one it was made from."""

    source: bytes
    marks: dict[Mark, Mark] = field(default_factory=dict)


def lift(source: bytes) -> Lifted:
    """The line with `< xxx` for each here-document and blanks for its text."""
    rest = bytearray(source)
    marks: dict[Mark, Mark] = {}
    position = 0
    while found := _OPENING.search(source, position):
        closing = re.compile(rb"^" + found["mark"] + rb"$", re.MULTILINE)
        end = closing.search(source, found.end())
        if end is None:
            break
        start, stop = found.start(), found.end("mark") + 1
        rest[start:stop] = b"<" + b"x" * (stop - start - 1)
        rest[found.end() : end.end()] = b" " * (end.end() - found.end())
        marks["<", start + 1, stop] = ("<<", end.start(), end.end())
        position = end.end()
    return Lifted(bytes(rest), marks)
