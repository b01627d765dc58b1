"""Results of parsing a shell line. Types only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class SyntaxTree:
    """The tree of a well-formed line as typed JSON, with byte offsets."""

    json: bytes


@dataclass(frozen=True, slots=True)
class MalformedLine:
    """The parser rejected the line."""

    why: str


@dataclass(frozen=True, slots=True)
class ParserUnavailable:
    """The parser is missing, has another version, timed out or failed."""

    why: str


ParserOutput: TypeAlias = SyntaxTree | MalformedLine | ParserUnavailable
ParseLine: TypeAlias = Callable[[str], ParserOutput]
