"""Where things stand in a TOML text: keys, values and headers with their places. Pure.

tomllib tells what a file means and forgets where it said so. This scan only finds places: it takes
a text that tomllib has accepted, and judges nothing itself.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:\\.|[^"\\\n])*"')
_LITERAL = re.compile(r"'[^'\n]*'")
_LONG_BASIC = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''.*?'{3,5}", re.DOTALL)
# A date and its time may be parted by a space.
_PLAIN = re.compile(r"\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]+|[^\s,\]}#]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with a value: the key's full path and line, and where the value begins and ends."""

    path: tuple[str, ...]
    line: int
    start: int
    end: int
    inline: bool  # stands inside { … }


@dataclass(frozen=True, slots=True)
class Header:
    """A line such as [limits], and where it begins."""

    path: tuple[str, ...]
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Places:
    """All entries and headers, each in the order of the text."""

    entries: Sequence[Entry]
    headers: Sequence[Header]

    def entry(self, path: tuple[str, ...]) -> Entry | None:
        return next((each for each in self.entries if each.path == path), None)

    def header(self, path: tuple[str, ...]) -> Header | None:
        return next((each for each in self.headers if each.path == path), None)

    def line(self, path: tuple[str, ...]) -> int | None:
        """The line that gives `path`; for a table the first that gives it or a part of it."""
        given = [(each.path, each.line) for each in self.entries]
        given += [(each.path, each.line) for each in self.headers]
        lines = [line for each, line in given if each[: len(path)] == path]
        return min(lines, default=None)


def scan(text: str) -> Places:
    """The places in a text that tomllib accepts; any other text raises ValueError."""
    scanner = _Scanner(text)
    scanner.document()
    return Places(scanner.entries, scanner.headers)


@dataclass(slots=True)
class _Scanner:
    text: str
    position: int = 0
    entries: list[Entry] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)

    def document(self) -> None:
        table: tuple[str, ...] = ()
        self.take(_BLANK)
        while self.position < len(self.text):
            if self.text[self.position] == "[":
                table = self.header()
            else:
                self.pair(table, inline=False)
            self.take(_BLANK)

    def header(self) -> tuple[str, ...]:
        start = self.position
        brackets = 2 if self.text.startswith("[[", start) else 1
        self.position += brackets
        path = self.key()
        self.expect("]" * brackets)
        self.headers.append(Header(path, self.line(start), start, self.position))
        return path

    def pair(self, table: tuple[str, ...], *, inline: bool) -> None:
        line = self.line(self.position)
        path = (*table, *self.key())
        self.expect("=")
        self.take(_SPACE)
        place = len(self.entries)
        start = self.position
        self.value(path)
        # Before the entries that it contains, so that the order is that of the text.
        self.entries.insert(place, Entry(path, line, start, self.position, inline))

    def key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while True:
            self.take(_SPACE)
            parts.append(self.key_part())
            self.take(_SPACE)
            if not self.text.startswith(".", self.position):
                return tuple(parts)
            self.position += 1

    def key_part(self) -> str:
        match self.text[self.position : self.position + 1]:
            case '"':
                quoted = self.take(_BASIC)
                return str(tomllib.loads(f"key = {quoted}")["key"])
            case "'":
                return self.take(_LITERAL)[1:-1]
            case _:
                return self.take(_BARE_KEY)

    def value(self, path: tuple[str, ...]) -> None:
        rest = self.text[self.position : self.position + 3]
        if rest == '"""':
            self.take(_LONG_BASIC)
        elif rest == "'''":
            self.take(_LONG_LITERAL)
        elif rest.startswith('"'):
            self.take(_BASIC)
        elif rest.startswith("'"):
            self.take(_LITERAL)
        elif rest.startswith("["):
            self.array(path)
        elif rest.startswith("{"):
            self.inline_table(path)
        else:
            self.take(_PLAIN)

    def array(self, path: tuple[str, ...]) -> None:
        self.position += 1
        self.take(_BLANK)
        while not self.text.startswith("]", self.position):
            self.value(path)
            self.take(_BLANK)
            if self.text.startswith(",", self.position):
                self.position += 1
                self.take(_BLANK)
        self.position += 1

    def inline_table(self, path: tuple[str, ...]) -> None:
        self.position += 1
        self.take(_BLANK)
        while not self.text.startswith("}", self.position):
            self.pair(path, inline=True)
            self.take(_BLANK)
            if self.text.startswith(",", self.position):
                self.position += 1
                self.take(_BLANK)
        self.position += 1

    def take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.position)
        if found is None:
            raise ValueError(f"not TOML at line {self.line(self.position)}")
        self.position = found.end()
        return found.group()

    def expect(self, sign: str) -> None:
        if not self.text.startswith(sign, self.position):
            raise ValueError(f"not TOML at line {self.line(self.position)}")
        self.position += len(sign)

    def line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1
