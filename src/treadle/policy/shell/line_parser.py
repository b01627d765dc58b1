"""Parses a shell line into its commands, or returns why it cannot be read. Pure.

Two parsers must see the same names, words, assignments and targets at the same bytes of the line.
"""

import re
from typing import assert_never

from treadle.domain.shell import MalformedLine, ParseLine, ParserUnavailable, SyntaxTree
from treadle.policy.shell.flatten import flatten
from treadle.policy.shell.heredocs import mask_heredocs
from treadle.policy.shell.line_outline import LineOutline
from treadle.policy.shell.plain_line_parser import parse_plain_line
from treadle.policy.shell.refusals import LineRefused, make_unreadable
from treadle.policy.shell.shell_nodes import Node
from treadle.policy.shell.shfmt_tree import read_shfmt_tree
from treadle.policy.shell.syntax import ParseResult, UnreadableLine
from treadle.policy.shell.treesitter_outline import outline_of

# shfmt prints about a kilobyte per node; more nodes take too long.
_MOST_NODES_IN_FULL = 1000


def parse_line(line: str, *, shfmt: ParseLine) -> ParseResult:
    """Every command that bash would run for this line. Never raises."""
    try:
        refusal = refuse_by_characters(line)
        if refusal is not None:
            return refusal
        return flatten(_parse(line, shfmt))
    except LineRefused as refused:
        return make_unreadable(refused.rule)
    except Exception:
        # Caught broadly only here: any failure of a parser refuses the line, and the session
        # continues.
        return make_unreadable("parser-failed")


def _parse(line: str, shfmt: ParseLine) -> Node:
    expected = expected_outline(line)
    plain = parse_if_plain(line, expected)
    return parse_with_shfmt(line, expected, shfmt=shfmt) if plain is None else plain


def expected_outline(line: str) -> LineOutline:
    """The outline that tree-sitter sees, if need be without the text of here-documents."""
    source = line.encode()
    try:
        return outline_of(source)
    except LineRefused as refused:
        lifted = mask_heredocs(source)
        if refused.rule != "not-shell" or not lifted.marks:
            raise
    outline = outline_of(lifted.source)
    outline.marks = {lifted.marks.get(mark, mark) for mark in outline.marks}
    return outline


def parse_if_plain(line: str, expected: LineOutline) -> Node | None:
    """Parse a plain line without shfmt; None if it is not certainly plain."""
    outline = LineOutline()
    node = parse_plain_line(line, outline)
    return node if node is not None and outline.marks == expected.marks else None


def parse_with_shfmt(line: str, expected: LineOutline, *, shfmt: ParseLine) -> Node:
    """Parse with shfmt; raises `LineRefused` if its outline is not the expected one."""
    if expected.nodes > _MOST_NODES_IN_FULL:
        raise LineRefused("too-many-parts")
    printed = shfmt(line)
    match printed:
        case SyntaxTree():
            outline = LineOutline()
            source = line.encode()
            node = read_shfmt_tree(printed.json, source, outline)
            if not _is_same_outline(outline, expected, source):
                raise LineRefused("read-in-two-ways")
            return node
        case MalformedLine():
            raise LineRefused("not-shell")
        case ParserUnavailable():
            raise LineRefused("no-parser")
        case _:
            assert_never(printed)


def _is_same_outline(outline: LineOutline, expected: LineOutline, source: bytes) -> bool:
    """Whether both outlines agree; tree-sitter drops a lone `-` before `<<`."""
    more = outline.marks - expected.marks
    return expected.marks <= outline.marks and all(
        role == "word" and source[start:end] == b"-" for role, start, end in more
    )


LONGEST_BYTES = 16 * 1024

# Parsers, bash and a reader differ on these: control characters, unusual blanks, zero-width
# characters, direction marks, surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U000e0fff]"
)
# More variables or here-documents on one line make tree-sitter slow.
_MOST_DOLLARS = 1500
# So do pipes and redirections: it takes the square of their number.
_MOST_PIPES = 1000
_MARKS = re.compile(r"(?:<<[^<\n]*){17}")
_BLANKS = re.compile(r"[ \t\n]{201}")


def refuse_by_characters(line: str) -> UnreadableLine | None:
    """Why the line is refused by its characters, if it is."""
    if len(line) > LONGEST_BYTES:
        return make_unreadable("line-too-long")
    if _HIDDEN.search(line):
        return make_unreadable("hidden-characters")
    if not line.isascii() and len(line.encode()) > LONGEST_BYTES:
        return make_unreadable("line-too-long")
    pipes = sum(map(line.count, "|<>"))
    if line.count("$") > _MOST_DOLLARS or pipes > _MOST_PIPES or _MARKS.search(line):
        return make_unreadable("too-many-parts")
    if _BLANKS.search(line):
        return make_unreadable("hidden-by-space")
    return None
