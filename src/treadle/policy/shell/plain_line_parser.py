"""Parses plain lines (words and operators) with one regular expression. Pure.

Any line that is not certainly plain is left to the full parser.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from treadle.policy.shell import shell_nodes
from treadle.policy.shell.builtin_checks import check_call, check_value
from treadle.policy.shell.line_outline import LineOutline
from treadle.policy.shell.quote_removal import parse_static_word
from treadle.policy.shell.shell_nodes import AndOrNode, Node, PipelineNode, SimpleNode
from treadle.policy.shell.syntax import Assignment, Redirect, RedirectKind, ShellCommand, Word

# Digits before `>` name a stream only if they are a word by themselves: after a blank.
_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+)
    |(?P<join>&&|\|\|)
    |(?P<pipe>\|(?![|&]))
    |(?P<end>;(?![;&])|\n)
    |(?P<duplicate>(?<![^ \t])[12]?>&[12](?![^ \t\n;&|]))
    |(?P<redirect>(?<![^ \t])[12]>>?(?![>&|(])|(?<!\d)>>?(?![>&|(])|(?<!\d)<(?![<>&(])|&>(?![>&|(]))
    |(?P<word>(?:[\w@%+=:,./*?~^-]|'[^']*'|"(?:[^"$`\\]|\\[^\n])*")+)""",
    re.VERBOSE | re.ASCII,
)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(?!\()")
_KINDS: dict[str, RedirectKind] = {"&>": "write", ">": "write", ">>": "append", "<": "read"}
_JOINS: dict[str, Literal["&&", "||"]] = {"&&": "&&", "||": "||"}
# Keywords, and commands that the parsers represent differently.
_SPECIAL = frozenset(
    {
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "do",
        "done",
        "case",
        "esac",
        "while",
        "until",
        "for",
        "in",
    }
    | {"function", "select", "time", "coproc", "export", "declare", "typeset", "local", "readonly"}
    | {"nameref", "let"}
)

# What kind it is, its text, and where it stands.
_Token: TypeAlias = tuple[str, str, int, int]


class _NotPlain(Exception):
    """The line needs the full parser."""


@dataclass(slots=True)
class _PlainCommand:
    """The command that is being read."""

    words: list[Word] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)


def parse_plain_line(line: str, outline: LineOutline) -> Node | None:
    """The shape of a plain line, its marks put in the outline; None for any other."""
    if not line.isascii():
        return None
    try:
        statements = [_parse_statement(part, outline) for part in _statements(_tokens(line))]
    except _NotPlain:
        return None
    return statements[0] if len(statements) == 1 else shell_nodes.SequenceNode(tuple(statements))


def _tokens(line: str) -> Iterator[_Token]:
    position, last = 0, ""
    for found in _TOKEN.finditer(line):
        start, end = found.span()
        if start != position:
            raise _NotPlain
        position, kind = end, found.lastgroup or ""
        if kind == "blank" or (found[0] == "\n" and last in {"join", "pipe"}):
            continue
        last = kind
        yield kind, found[0], start, end
    if position != len(line):
        raise _NotPlain


def _statements(tokens: Iterator[_Token]) -> Iterator[list[_Token]]:
    statement: list[_Token] = []
    for token in tokens:
        if token[0] != "end":
            statement.append(token)
        elif statement:
            yield statement
            statement = []
        elif token[1] == ";":
            raise _NotPlain
    if statement:
        yield statement


def _parse_statement(tokens: list[_Token], outline: LineOutline) -> Node:
    result: Node | None = None
    join = ""
    parts: list[Node] = []
    command: list[_Token] = []
    for token in [*tokens, ("join", "", 0, 0)]:
        if token[0] not in {"join", "pipe"}:
            command.append(token)
            continue
        parts.append(_parse_command(command, outline))
        command = []
        if token[0] == "join":
            pipeline = parts[0] if len(parts) == 1 else PipelineNode(tuple(parts))
            result = pipeline if result is None else AndOrNode(_JOINS[join], result, pipeline)
            join, parts = token[1], []
    if result is None:
        raise _NotPlain
    return result


def _parse_command(tokens: list[_Token], outline: LineOutline) -> Node:
    command = _PlainCommand()
    waiting: _Token | None = None
    for token in tokens:
        kind, text, start, end = token
        if waiting is not None:
            _parse_redirect(waiting, token, command, outline)
            waiting = None
        elif kind == "redirect":
            waiting = token
        elif kind == "duplicate":
            descriptor, _, number = text.partition(">&")
            command.redirects.append(Redirect("duplicate", Word(number), descriptor))
            outline.add(">&", end - 1, end)
        elif not command.words and (found := _ASSIGNMENT.match(text)):
            value = parse_static_word(text[found.end() :])
            command.assignments.append(Assignment(found[1], value))
            outline.add("assignment", start, end)
        else:
            command.words.append(parse_static_word(text))
            command.spans.append((start, end))
    return _finish_command(command, outline, complete=waiting is None)


def _parse_redirect(
    sign: _Token, target: _Token, command: _PlainCommand, outline: LineOutline
) -> None:
    kind, text, start, end = target
    if kind != "word":
        raise _NotPlain
    operator = sign[1].lstrip("12")
    descriptor = sign[1].removesuffix(operator)
    command.redirects.append(Redirect(_KINDS[operator], parse_static_word(text), descriptor))
    outline.add(operator, start, end)


def _finish_command(command: _PlainCommand, outline: LineOutline, *, complete: bool) -> Node:
    if not (complete and (command.words or command.assignments)):
        raise _NotPlain
    if command.words:
        name = command.words[0]
        if name.expands or not name.text or name.text in _SPECIAL:
            raise _NotPlain
        check_call(tuple(command.words))
        outline.add_command(command.spans)
    for assignment in command.assignments:
        check_value(assignment.value)
    parts = (tuple(command.words), tuple(command.assignments), tuple(command.redirects))
    return SimpleNode(ShellCommand(*parts))
