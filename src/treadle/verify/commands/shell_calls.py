"""Reads a shell line or script into its commands, and where the output of each goes. Pure.

Only files are looked for, so what the shell alone knows stays unknown; nothing is refused.
"""

import itertools
import posixpath
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from treadle.verify.commands.file_mentions import ShellCall
from treadle.verify.commands.shell_tree import (
    commands_behind_heredocs,
    heredoc_bodies,
    parse_shell,
    redirections,
)
from treadle.verify.commands.word_paths import LAST_STATUS, TOP, UNKNOWN, resolve_path

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 60
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_OWN_FOLDER = re.compile(r"\$\{?(?:0|BASH_SOURCE)\b")
_WORKING_FOLDER = re.compile(r"[$`(\s]*pwd(?:\s+-[LP])?[`)\s]*")
_WORDS = frozenset(
    {"word", "number", "string", "raw_string", "ansi_c_string", "concatenation", "regex"}
    | {"simple_expansion", "expansion", "command_substitution", "process_substitution"}
    | {"test_operator", "extglob_pattern", "brace_expression", "arithmetic_expansion"}
)
_SCOPES = frozenset({"subshell", "command_substitution", "process_substitution"})
_SILENT = frozenset({"comment", "heredoc_body"})


@dataclass(slots=True)
class _Scope:
    folder: str
    variables: dict[str, str]
    is_negated: bool = False
    inside: int | None = None
    sides: frozenset[tuple[int, str]] = frozenset()

    def copy(self) -> "_Scope":
        return replace(self, variables=dict(self.variables))


def read_calls(text: str, folder: str = "", own_folder: str = "") -> tuple[ShellCall, ...] | None:
    """The commands in order; None for a text that cannot be read.

    `own_folder` is where a script lies.
    """
    root = parse_shell(text)
    if root is None:
        return None
    reader = _CallReader(text.encode(errors="surrogateescape"), own_folder)
    reader.walk(root, _Scope(folder, {}))
    return None if reader.is_cut else tuple(reader.calls)


@dataclass(slots=True)
class _CallReader:
    source: bytes
    own_folder: str
    calls: list[ShellCall] = field(default_factory=list)
    depth: int = 0
    is_cut: bool = False

    def walk(self, node: "Node", scope: _Scope) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.is_cut = True
        else:
            self._visit(node, scope.copy() if node.type in _SCOPES else scope)
        self.depth -= 1

    def _visit(self, node: "Node", scope: _Scope) -> None:
        visitors = {
            "command": self._add_command,
            "test_command": self._add_test,
            "variable_assignment": self._assign,
            "for_statement": self._add_loop,
            "pipeline": self._add_pipeline,
            "list": self._add_list,
            "redirected_statement": self._add_redirected,
        }
        is_negation = node.type == "negated_command"
        if node.type not in _SILENT:
            visit = visitors.get(node.type, self._walk_children)
            visit(node, replace(scope, is_negated=True) if is_negation else scope)

    def _walk_children(self, node: "Node", scope: _Scope) -> None:
        for child in node.named_children:
            self.walk(child, scope)

    def _add_command(self, node: "Node", scope: _Scope) -> None:
        number = self._reserve(scope)
        words, variables = [], {}
        for child in node.named_children:
            if child.type == "variable_assignment":
                name, value = self._assignment(child, scope, number)
                variables[name] = value
            elif child.type == "command_name":
                words.append(self._word(child.named_children[0], scope, number))
            elif child.type in _WORDS:
                words.append(self._word(child, scope, number))
        self._fill(number, words, {**scope.variables, **variables})
        self._add_redirects(node, scope, [number])
        if words[:1] in (["cd"], ["pushd"]) and len(words) > 1:
            target = resolve_path(words[-1], scope.folder)
            scope.folder = scope.folder if target is None else target

    def _add_test(self, node: "Node", scope: _Scope) -> None:
        number = self._reserve(scope)
        words: list[str] = []
        waiting = list(reversed(node.children))
        while waiting:
            each = waiting.pop()
            if each.type in _WORDS:
                words.append(self._word(each, scope, number))
            elif each.is_named:
                waiting += reversed(each.children)
            else:
                words.append(each.type)
        self._fill(number, words, scope.variables)

    def _assign(self, node: "Node", scope: _Scope) -> None:
        name, value = self._assignment(node, scope, scope.inside)
        scope.variables[name] = value

    def _add_loop(self, node: "Node", scope: _Scope) -> None:
        """The variable of a loop stands for any of its words."""
        name, *rest = node.named_children
        words = [self._word(each, scope, scope.inside) for each in rest if each.type in _WORDS]
        either = f"{{{','.join(words)}}}" if len(words) > 1 else "".join(words)
        scope.variables[self._text(name)] = either or UNKNOWN
        for child in rest:
            if child.type not in _WORDS:
                self.walk(child, scope)

    def _add_pipeline(self, node: "Node", scope: _Scope) -> None:
        starts = []
        for part in node.named_children:
            starts.append(len(self.calls))
            self.walk(part, scope.copy())
        for start, end in itertools.pairwise(starts):
            behind = tuple(range(end, len(self.calls)))
            for number in range(start, end):
                call = self.calls[number]
                if call.inside is None or call.inside < start:
                    self.calls[number] = replace(call, pipes_to=(*call.pipes_to, *behind))

    def _add_list(self, node: "Node", scope: _Scope) -> None:
        is_alternative = any(child.type == "||" for child in node.children)
        sides = scope.sides
        for name, child in zip(("left", "right"), node.named_children, strict=False):
            if is_alternative:
                scope.sides = sides | {(node.start_byte * 2 + node.end_byte, name)}
            self.walk(child, scope)
        scope.sides = sides

    def _add_redirected(self, node: "Node", scope: _Scope) -> None:
        start = len(self.calls)
        for child in node.named_children:
            if not child.type.endswith("_redirect"):
                self.walk(child, scope)
        numbers = [n for n in range(start, len(self.calls)) if self.calls[n].inside == scope.inside]
        if node.named_children[0].type in ("pipeline", "list"):
            # The grammar takes what stands behind the last command for all of them.
            numbers = numbers[-1:]
        self._add_redirects(node, scope, numbers)
        for part in commands_behind_heredocs(node):
            start = len(self.calls)
            self.walk(part, scope)
            behind = tuple(range(start, len(self.calls))) if part.type == "pipeline" else ()
            for number in numbers:
                call = self.calls[number]
                self.calls[number] = replace(call, pipes_to=(*call.pipes_to, *behind))

    def _add_redirects(self, node: "Node", scope: _Scope, numbers: list[int]) -> None:
        outer = numbers[0] if node.type == "command" else scope.inside
        reads, writes, inputs = self._redirects(node, scope, outer)
        for number in numbers:
            call = self.calls[number]
            self.calls[number] = replace(
                call,
                reads=(*call.reads, *reads),
                writes=(*call.writes, *writes),
                inputs=(*call.inputs, *inputs),
            )

    def _redirects(
        self, node: "Node", scope: _Scope, number: int | None
    ) -> tuple[list[str], list[str], list[str]]:
        """The files that are read and written, and the texts that are read."""
        reads: list[str] = []
        writes: list[str] = []
        inputs = [self._text(each) for each in heredoc_bodies(node)]
        for child in redirections(node):
            if child.type == "heredoc_redirect" or not child.named_children:
                continue
            target = self._word(child.named_children[-1], scope, number)
            is_input = any(part.type == "<" for part in child.children)
            is_text = child.type == "herestring_redirect"
            (inputs if is_text else reads if is_input else writes).append(target)
        return reads, writes, inputs

    def _assignment(self, node: "Node", scope: _Scope, number: int | None) -> tuple[str, str]:
        name, *value = node.named_children
        text = self._word(value[0], scope, number) if value else ""
        return self._text(name), text

    def _word(self, node: "Node", scope: _Scope, number: int | None) -> str:
        match node.type:
            case "raw_string":
                return self._text(node)[1:-1]
            case "ansi_c_string":
                return self._text(node)[2:-1]
            case "simple_expansion" | "expansion":
                return self._variable(node, scope)
            case "command_substitution" | "process_substitution":
                return self._substitution(node, scope, number)
            case "string" | "concatenation":
                return self._joined(node, scope, number)
            case _:
                return _ESCAPE.sub(r"\1", self._text(node))

    def _joined(self, node: "Node", scope: _Scope, number: int | None) -> str:
        """The parts of a word, and the blanks between them, which are no nodes."""
        quote = 1 if node.type == "string" else 0
        position, parts = node.start_byte + quote, []
        for child in node.named_children:
            parts.append(self._slice(position, child.start_byte))
            is_text = child.type == "string_content"
            parts.append(self._text(child) if is_text else self._word(child, scope, number))
            position = child.end_byte
        parts.append(self._slice(position, node.end_byte - quote))
        return "".join(parts)

    def _variable(self, node: "Node", scope: _Scope) -> str:
        text = self._text(node)
        if _OWN_FOLDER.search(text):
            return f"{TOP}{self.own_folder}" if "%/*" in text else UNKNOWN
        name = text.strip("${}")
        if name == "?":
            return LAST_STATUS
        if name == "PWD":
            return f"{TOP}{scope.folder}"
        return scope.variables.get(name, UNKNOWN)

    def _substitution(self, node: "Node", scope: _Scope, number: int | None) -> str:
        text = self._text(node)
        inner = scope.copy()
        inner.inside, inner.is_negated = number, False
        self._walk_children(node, inner)
        reads, *_ = self._redirects(node, scope, number)
        if reads:  # `$(<file)` prints the file.
            self._fill(self._reserve(inner), ["cat", *reads], scope.variables)
        if "dirname" in text and _OWN_FOLDER.search(text):
            # `$(dirname "$0")`, or `$(cd "$(dirname "$0")/.." && pwd)`.
            up = text.count("/..")
            return posixpath.normpath(f"{TOP}{self.own_folder or '.'}{'/..' * up}")
        if _WORKING_FOLDER.fullmatch(text):
            return f"{TOP}{scope.folder}"
        return TOP if "rev-parse --show-toplevel" in text else UNKNOWN

    def _reserve(self, scope: _Scope) -> int:
        """The number of a command; those in its words come behind it."""
        call = ShellCall((), scope.folder, is_negated=scope.is_negated, inside=scope.inside)
        self.calls.append(replace(call, sides=scope.sides))
        return len(self.calls) - 1

    def _fill(self, number: int, words: list[str], variables: dict[str, str]) -> None:
        assigned = tuple(sorted(variables.items()))
        self.calls[number] = replace(self.calls[number], words=tuple(words), variables=assigned)

    def _text(self, node: "Node") -> str:
        return self._slice(node.start_byte, node.end_byte)

    def _slice(self, start: int, end: int) -> str:
        return self.source[start:end].decode(errors="surrogateescape")
