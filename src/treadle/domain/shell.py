"""What a program that parses a shell line hands back. Types only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class SyntaxTree:
    """The line is well formed; its tree as typed JSON, with byte offsets."""

    json: bytes


@dataclass(frozen=True, slots=True)
class Malformed:
    """The parser read the line and refused it."""

    why: str


@dataclass(frozen=True, slots=True)
class NoParser:
    """The parser is missing, of another version, too slow, or it failed: nothing is known."""

    why: str


Printed: TypeAlias = SyntaxTree | Malformed | NoParser
PrintTree: TypeAlias = Callable[[str], Printed]
