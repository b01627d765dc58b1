"""Reads words from shfmt's tree without refusing any construct. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from treadle.policy.shell.quote_removal import (
    QUOTED,
    may_expand,
    unquote_bare,
    unquote_double,
    unquote_heredoc,
)
from treadle.policy.shell.shfmt_nodes import Json, span
from treadle.policy.shell.syntax import Word

_ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9A-Fa-f]{1,2})|u(?P<short>[0-9A-Fa-f]{1,4})|U(?P<long>[0-9A-Fa-f]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<sign>.))",
    re.DOTALL,
)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_LARGEST_CODE = 0x10FFFF
_SUBSTITUTIONS = frozenset({"CmdSubst", "ProcSubst"})
# `${x:+set}` and `${#x}` say that a variable is set, not what it holds.
_TELLS_NO_VALUE = frozenset({"+", ":+"})
_ALTERING_KEYS = ("Index", "Excl", "Length", "Width", "Slice", "Repl", "Names", "Exp")


@dataclass(slots=True)
class _WordParts:
    text: list[str] = field(default_factory=list)
    # The same with everything quoted masked.
    masked: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    substitutes: bool = False
    quoted: bool = False
    splits: bool = False

    def add_quoted(self, text: str) -> None:
        self.quoted = True
        self.text.append(text)
        self.masked.append(QUOTED * len(text))

    def build(self) -> Word:
        return Word(
            "".join(self.text),
            expands=self.splits or may_expand("".join(self.masked)),
            variables=tuple(dict.fromkeys(self.variables)),
            substitutes=self.substitutes,
            quoted=self.quoted,
        )


@dataclass(frozen=True, slots=True)
class LenientWordReader:
    """Reads the words of one line; `source` is the line's bytes."""

    source: bytes

    def read(self, node: Json | None) -> Word:
        """The word; its text is as written wherever bash puts in something else."""
        parts = _WordParts()
        for part in (node or {}).get("Parts") or ():
            self._add(part, parts)
        return parts.build()

    def read_document(self, node: Json, *, literal: bool) -> Word:
        """The text of a here-document."""
        parts = _WordParts(quoted=True)
        for part in node.get("Parts") or ():
            if part["Type"] == "Lit":
                raw = part.get("Value", "")
                parts.text.append(raw if literal else unquote_heredoc(raw))
            else:
                self._add_inner(part, parts)
        return parts.build()

    def raw(self, node: Json) -> str:
        start, end = span(node)
        return self.source[start:end].decode()

    def _literal(self, part: Json) -> str:
        """Plain text as it is written, without a backslash before the end of a line."""
        raw = self.raw(part)
        return raw[:-1] if (len(raw) - len(raw.rstrip("\\"))) % 2 else raw

    def _add(self, part: Json, parts: _WordParts) -> None:
        match part["Type"]:
            case "Lit":
                text, masked = unquote_bare(self._literal(part))
                parts.quoted |= QUOTED in masked
                parts.text.append(text)
                parts.masked.append(masked)
            case "SglQuoted":
                raw = self.raw(part)
                parts.add_quoted(_unquote_ansi(raw[2:-1]) if raw.startswith("$") else raw[1:-1])
            case "DblQuoted":
                parts.quoted = True
                for inner in part.get("Parts") or ():
                    if inner["Type"] == "Lit":
                        parts.add_quoted(unquote_double(self._literal(inner)))
                    else:
                        self._add_inner(inner, parts)
            case _:
                parts.splits = True
                self._add_inner(part, parts)

    def _add_inner(self, part: Json, parts: _WordParts) -> None:
        """What bash puts in at run time."""
        parts.text.append(self.raw(part))
        parts.masked.append(QUOTED)
        if part["Type"] != "ParamExp":
            parts.substitutes = True
            return
        operator = (part.get("Exp") or {}).get("Op")
        parts.substitutes |= any(part.get(key) for key in _ALTERING_KEYS)
        if not (part.get("Length") or operator in _TELLS_NO_VALUE):
            parts.variables.append(part["Param"]["Value"])


def find_substitutions(node: object) -> Iterator[Sequence[Json]]:
    """The statements of each outermost substitution in a node."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting.extend(reversed(each))
        elif isinstance(each, dict):
            if each.get("Type") in _SUBSTITUTIONS:
                yield each.get("Stmts") or []
            else:
                waiting.extend(reversed(each.values()))


def _unquote_ansi(raw: str) -> str:
    return _ESCAPE.sub(_unescape, raw)


def _unescape(found: re.Match[str]) -> str:
    if sign := found["sign"]:
        return _SIGNS.get(sign) or (sign if sign in "\\'\"?" else f"\\{sign}")
    digits = found["hex"] or found["short"] or found["long"]
    code = int(digits, 16) if digits else int(found["octal"], 8)
    return chr(code) if code <= _LARGEST_CODE else ""
