"""Finds the line of each key in a TOML text, for error messages. Pure.

tomllib and tomlkit do not report line numbers. This reader expects a text that tomllib has accepted
and checks nothing itself.
"""

import re
import tomllib
from dataclasses import dataclass, field
from typing import TypeAlias

KeyPath: TypeAlias = tuple[str, ...]

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'"
    r"|\#[^\n]*"
    r"|[\n\[\]{}=,.]"
    r"|[^\s\[\]{}=,.\#\"']+",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class KeyLine:
    """A key or a table header, and its line."""

    path: KeyPath
    line: int
    has_value: bool  # False for a header such as [limits]


def find_key_lines(text: str) -> tuple[KeyLine, ...]:
    """Every key and header, in the order of the text."""
    reader = _Reader()
    line, counted = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", counted, token.start())
        counted = token.start()
        if token.group().startswith("#"):
            continue
        if reader.in_value:
            reader.read_value(token.group())
        else:
            reader.read_key(token.group(), line)
    return tuple(reader.key_lines)


@dataclass(slots=True)
class _Reader:
    key_lines: list[KeyLine] = field(default_factory=list)
    table: KeyPath = ()  # of the last header
    path: KeyPath = ()  # of the value that is being read
    brackets: list[tuple[str, KeyPath]] = field(default_factory=list)  # open ones of that value
    parts: list[str] = field(default_factory=list)  # of the key that is being read
    in_value: bool = False

    def read_key(self, token: str, line: int) -> None:
        match token:
            case "=":
                table = self.brackets[-1][1] if self.brackets else self.table
                self.path = (*table, *self.parts)
                self.key_lines.append(KeyLine(self.path, line, has_value=True))
                self.parts, self.in_value = [], True
            case "]" if self.parts:
                self.table = tuple(self.parts)
                self.key_lines.append(KeyLine(self.table, line, has_value=False))
                self.parts = []
            case "}":
                self.brackets.pop()
                self.in_value = True
            case "[" | "]" | "." | "," | "\n":
                pass
            case _:
                self.parts.append(_unquote(token))

    def read_value(self, token: str) -> None:
        match token:
            case "[" | "{":
                self.brackets.append((token, self.path))
                self.in_value = token == "["  # noqa: S105
            case "]" | "}":
                _, self.path = self.brackets.pop()
            case ",":
                self.in_value = self.brackets[-1][0] == "["
            case "\n":
                self.in_value = bool(self.brackets)
            case _:
                pass


def _unquote(part: str) -> str:
    if part.startswith('"'):
        return str(tomllib.loads(f"key = {part}")["key"])
    return part[1:-1] if part.startswith("'") else part
