"""Results of parsing a shell line. Types only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class SyntaxTree:
    """The line is well formed; its tree as typed JSON, with byte offsets."""

    json: bytes


@dataclass(frozen=True, slots=True)
class MalformedLine:
    """The parser read the line and refused it."""

    why: str


@dataclass(frozen=True, slots=True)
class ParserUnavailable:
    """The parser is missing, of another version, too slow, or it failed: nothing is known."""

    why: str


ParserOutput: TypeAlias = SyntaxTree | MalformedLine | ParserUnavailable
ParseLine: TypeAlias = Callable[[str], ParserOutput]
