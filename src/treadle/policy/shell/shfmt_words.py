"""Reads words from shfmt's tree, with their variables and substitutions. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from treadle.policy.shell.arithmetic import check_arithmetic, compute
from treadle.policy.shell.heredocs import loses_separators
from treadle.policy.shell.quote_removal import (
    QUOTED,
    STATUS,
    may_expand,
    unquote_ansi,
    unquote_bare,
    unquote_double,
    unquote_heredoc,
)
from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.shell_nodes import Node, OutputUse, SubshellNode
from treadle.policy.shell.shfmt_nodes import POSITION_KEYS, Json, require_known_keys, span
from treadle.policy.shell.syntax import Word

_OPERATORS = frozenset(("-", ":-", "+", ":+", "%", "%%", "#", "##", "^", "^^", ",", ",,"))
# These keys of an expansion are the ones whose meaning is known; any other refuses it.
_EXPANSION = POSITION_KEYS | {"Short", "Param", "Length", "Exp", "Repl"}
_INDENT = re.compile(r"^\t+", re.MULTILINE)
_STATIC_PARTS = frozenset(("Lit", "SglQuoted", "DblQuoted"))


@dataclass(slots=True)
class _WordBuilder:
    """A word while its parts are read."""

    inside: OutputUse
    text: list[str] = field(default_factory=list)
    # The same with everything quoted masked.
    masked: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    bodies: list[SubshellNode] = field(default_factory=list)
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
class WordReader:
    """Reads the words of one line. `statements` reads the bodies of substitutions."""

    source: bytes
    statements: Callable[[list[Json]], Node]

    def raw(self, node: Json) -> str:
        start, end = span(node)
        return self.source[start:end].decode()

    def _literal(self, part: Json) -> str:
        """Plain text as it is written. A line end behind a backslash is not part of it."""
        raw = self.raw(part)
        if (len(raw) - len(raw.rstrip("\\"))) % 2 == 0:
            return raw
        if self.source[span(part)[1] :][:1] != b"\n":
            raise LineRefused("line-goes-on")
        return raw[:-1]

    def read(self, node: Json, inside: OutputUse) -> tuple[Word, list[SubshellNode]]:
        """A word that bash splits and matches against files where it is not quoted."""
        gathered = _WordBuilder(inside)
        require_known_keys(node, "Parts")
        parts = node.get("Parts") or []
        if [part["Type"] for part in parts] == ["ProcSubst"]:
            return self._stream(parts[0], inside)
        for part in parts:
            self._part(part, gathered)
        return gathered.build(), gathered.bodies

    def _stream(self, part: Json, inside: OutputUse) -> tuple[Word, list[SubshellNode]]:
        """`<( )`: bash puts the name of a pipe in its place."""
        require_known_keys(part, "Op", "OpPos", "Rparen", "Stmts")
        body = self.statements(part.get("Stmts") or [])
        if part["Op"] != "<(" or loses_separators(body):
            raise LineRefused("process-substitution")
        word = Word("/dev/fd/63", substitutes=True, stream=True)
        return word, [SubshellNode(body, inside)]

    def read_whole(self, node: Json, inside: OutputUse) -> tuple[Word, list[SubshellNode]]:
        """A word that stays one, as the value of an assignment does."""
        gathered = _WordBuilder(inside)
        require_known_keys(node, "Parts")
        for part in node.get("Parts") or ():
            self._part(part, gathered)
        gathered.splits = False
        return gathered.build(), gathered.bodies

    def here_document(
        self, node: Json, end: int, *, literal: bool, indented: bool
    ) -> tuple[Word, list[SubshellNode]]:
        """The text up to `end`, where the closing mark begins; the tree counts the mark to it."""
        gathered = _WordBuilder("heredoc", quoted=True)
        require_known_keys(node, "Parts")
        if not literal and b"\\\n" in self.source[span(node)[0] : end]:
            raise LineRefused("heredoc-escape")
        for part in node.get("Parts") or ():
            if part["Type"] == "Lit":
                start, stop = span(part)
                raw = self.source[start : min(stop, end)].decode()
                text = raw if literal else unquote_heredoc(raw)
                gathered.text.append(_INDENT.sub("", text) if indented else text)
            else:
                self._inner(part, gathered)
        return gathered.build(), gathered.bodies

    def static(self, node: Json, rule: str) -> Word:
        """A word without anything that is known only when it runs."""
        for part in node.get("Parts") or ():
            inner = [part, *(part.get("Parts") or ())]
            if any(each["Type"] not in _STATIC_PARTS for each in inner):
                raise LineRefused(rule)
        return self.read(node, "argument")[0]

    def _part(self, part: Json, gathered: _WordBuilder) -> None:
        match part["Type"]:
            case "Lit":
                text, masked = unquote_bare(self._literal(part))
                gathered.quoted |= QUOTED in masked
                gathered.text.append(text)
                gathered.masked.append(masked)
            case "SglQuoted":
                raw = self.raw(part)
                dollar = raw.startswith("$")
                gathered.add_quoted(unquote_ansi(raw[2:-1]) if dollar else raw[1:-1])
            case "DblQuoted":
                self._double(part, gathered)
            case _:
                gathered.masked.append(QUOTED)
                gathered.splits |= not self._inner(part, gathered)

    def _double(self, part: Json, gathered: _WordBuilder) -> None:
        if self.raw(part).startswith("$"):
            raise LineRefused("translated-string")
        gathered.quoted = True
        for inner in part.get("Parts") or ():
            if inner["Type"] == "Lit":
                gathered.add_quoted(unquote_double(self._literal(inner)))
            else:
                gathered.masked.append(QUOTED)
                self._inner(inner, gathered)

    def _inner(self, part: Json, gathered: _WordBuilder) -> bool:
        """What bash replaces, in quotes or not; whether that is one word even without them."""
        gathered.text.append(self.raw(part))
        match part["Type"]:
            case "ParamExp":
                self._variable(part, gathered)
                return False
            case "CmdSubst":
                self._substitution(part, gathered)
                return False
            case "ArithmExp":
                return self._arithmetic(part, gathered)
            case "ProcSubst":
                raise LineRefused("process-substitution")
            case "ExtGlob":
                raise LineRefused("extended-glob")
            case _:
                raise LineRefused("construct")

    def _arithmetic(self, part: Json, gathered: _WordBuilder) -> bool:
        """Replace arithmetic on literal numbers by its result."""
        check_arithmetic(part, self.source)
        number = compute(part.get("X"), self.source)
        if number is not None:
            gathered.text[-1] = str(number)
            return True
        gathered.substitutes = True
        return False

    def _variable(self, part: Json, gathered: _WordBuilder) -> None:
        if part.get("Index") is not None:
            # Its pieces are not looked at one by one: only what is written exactly so.
            if not STATUS.fullmatch(self.raw(part)[2:-1]):
                raise LineRefused("array")
            gathered.variables.append(part["Param"]["Value"])
            return
        known = all(not value or key in _EXPANSION for key, value in part.items())
        operator = (part.get("Exp") or {}).get("Op")
        if part.get("Excl") or part.get("Names") or operator == "@":
            raise LineRefused("indirect-expansion")
        if not known or (operator is not None and operator not in _OPERATORS):
            raise LineRefused("expansion-operator")
        for word in self._operands(part):
            self.static(word, "expansion-operator")
            gathered.substitutes = True
        gathered.substitutes |= bool(part.get("Length") or part.get("Exp") or part.get("Repl"))
        gathered.variables.append(part["Param"]["Value"])

    def _operands(self, part: Json) -> list[Json]:
        replaced = part.get("Repl") or {}
        found = ((part.get("Exp") or {}).get("Word"), replaced.get("Orig"), replaced.get("With"))
        return [word for word in found if word]

    def _substitution(self, part: Json, gathered: _WordBuilder) -> None:
        require_known_keys(part, "Stmts", "Backquotes")
        # The next backquote ends it, also one in the text of a here-document, which parsers take
        # for text.
        if part.get("Backquotes") and any(sign in self.raw(part) for sign in ("\\", "<<")):
            raise LineRefused("backquotes")
        gathered.substitutes = True
        body = self.statements(part.get("Stmts") or [])
        if loses_separators(body):
            raise LineRefused("heredoc-in-substitution")
        gathered.bodies.append(SubshellNode(body, gathered.inside))
