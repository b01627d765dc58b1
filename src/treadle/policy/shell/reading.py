"""Reads a shell line into the list of its commands, or says why it cannot be judged. Pure.

Two parsers must see the same names, words, assignments and targets at the same bytes of the line.
"""

from typing import assert_never

from treadle.domain.shell import Malformed, NoParser, PrintTree, SyntaxTree
from treadle.policy.shell.flatten import flatten
from treadle.policy.shell.heredocs import lift
from treadle.policy.shell.mirror import mirror
from treadle.policy.shell.nodes import Node
from treadle.policy.shell.outline import Outline
from treadle.policy.shell.prefilter import refuse_by_characters
from treadle.policy.shell.refusals import Refused, unreadable
from treadle.policy.shell.syntax import Reading
from treadle.policy.shell.tokens import read_plain
from treadle.policy.shell.tree import outline_of

# The second program prints about a kilobyte for each; more of them take too long.
_MOST_NODES_IN_FULL = 1000


def read(line: str, *, shfmt: PrintTree) -> Reading:
    """Every command that bash would run for this line. Never raises."""
    try:
        refusal = refuse_by_characters(line)
        if refusal is not None:
            return refusal
        return flatten(_agreed(line, shfmt))
    except Refused as refused:
        return unreadable(refused.rule)
    except Exception:
        # The one place for it: whatever a parser stumbles over, a line that was not understood
        # is refused, and the session that asked goes on.
        return unreadable("parser-failed")


def _agreed(line: str, shfmt: PrintTree) -> Node:
    expected = expect(line)
    plain = read_cheaply(line, expected)
    return read_fully(line, expected, shfmt=shfmt) if plain is None else plain


def expect(line: str) -> Outline:
    """The outline that tree-sitter sees, if need be without the text of here-documents."""
    source = line.encode()
    try:
        return outline_of(source)
    except Refused as refused:
        lifted = lift(source)
        if refused.rule != "not-shell" or not lifted.marks:
            raise
    outline = outline_of(lifted.source)
    outline.marks = {lifted.marks.get(mark, mark) for mark in outline.marks}
    return outline


def read_cheaply(line: str, expected: Outline) -> Node | None:
    """The shape of a plain line, without a second program; None if it is not surely plain."""
    seen = Outline()
    node = read_plain(line, seen)
    return node if node is not None and seen.marks == expected.marks else None


def read_fully(line: str, expected: Outline, *, shfmt: PrintTree) -> Node:
    """The shape that shfmt sees, if its outline is the expected one; raises `Refused` if not."""
    if expected.nodes > _MOST_NODES_IN_FULL:
        raise Refused("too-many-parts")
    printed = shfmt(line)
    match printed:
        case SyntaxTree():
            seen = Outline()
            source = line.encode()
            node = mirror(printed.json, source, seen)
            if not _same(seen, expected, source):
                raise Refused("read-in-two-ways")
            return node
        case Malformed():
            raise Refused("not-shell")
        case NoParser():
            raise Refused("no-parser")
        case _:
            assert_never(printed)


def _same(seen: Outline, expected: Outline, source: bytes) -> bool:
    """Whether shfmt saw what tree-sitter did. The latter loses a lone `-` before `<<`."""
    more = seen.marks - expected.marks
    return expected.marks <= seen.marks and all(
        role == "word" and source[start:end] == b"-" for role, start, end in more
    )
