"""Reads source code by its braces, without its comments and strings. Pure."""

import re
from collections.abc import Iterator
from typing import Literal

# What is not closed ends with the text: else each of many would be looked at up to there.
_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_STRING = r"\"(?:\\.|[^\"\\])*(?:\"|\\?\Z)"
_CHARACTER = r"b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'])'"
_MASKS = {
    "rust": re.compile(
        rf"(?P<comment>{_COMMENT})|\br(#*)\".*?(?:\"\2|\Z)|b?{_STRING}|{_CHARACTER}", re.DOTALL
    ),
    "script": re.compile(
        rf"(?P<comment>{_COMMENT})|{_STRING}|'(?:\\.|[^'\\\n])*(?:'|\\?\Z|(?=\n))|`(?:\\.|[^`\\])*(?:`|\\?\Z)",
        re.DOTALL,
    ),
}
_NO_LINE_END = re.compile(r"[^\n]")


def mask(language: Literal["rust", "script"], text: str, *, keep_strings: bool = False) -> str:
    """The text with blanks for its comments, and for its strings unless these are kept."""

    def blank(found: re.Match[str]) -> str:
        is_kept = keep_strings and found["comment"] is None
        return found[0] if is_kept else _NO_LINE_END.sub(" ", found[0])

    return _MASKS[language].sub(blank, text)


def block_end(structure: str, start: int) -> int:
    """Behind the block or the semicolon that ends an item; at the end if there is none."""
    depth = 0
    for position in range(start, len(structure)):
        sign = structure[position]
        depth += (sign in "{([") - (sign in "})]")
        if depth <= 0 and sign in "};":
            return position + 1
    return len(structure)


def statements(structure: str, start: int, end: int, *, ends: str) -> Iterator[tuple[int, int]]:
    """The spans between signs that end a statement, outside of inner braces."""
    depth, first = 0, start
    for position in range(start, end):
        sign = structure[position]
        depth += (sign in "{([") - (sign in "})]")
        is_end = depth == 0 and sign in ends
        if is_end or position == end - 1:
            if structure[first : position + 1].strip():
                yield first, position + 1
            first = position + 1


def joined(text: str) -> str:
    """The text with single blanks."""
    return " ".join(text.split())
