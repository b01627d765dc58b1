"""Reads the outline of a line with tree-sitter, or refuses it. Pure."""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from treadle.policy.shell.line_outline import LineOutline
from treadle.policy.shell.quote_removal import STATUS
from treadle.policy.shell.refusals import LineRefused

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MOST_COMMANDS = 64
MOST_NODES = 4000
DEEPEST_NESTING = 16

_REFUSED = {
    "function_definition": "function",
    "c_style_for_statement": "counting-loop",
    "array": "array",
    "subscript": "array",
    "translated_string": "translated-string",
}
_NESTING = frozenset(
    {"subshell", "command_substitution", "process_substitution", "compound_statement"}
    | {"if_statement", "while_statement", "for_statement", "case_statement", "expansion"}
    | {"arithmetic_expansion", "parenthesized_expression"}
)
_KNOWN = _NESTING.union(
    {"program", "command", "command_name", "word", "string", "string_content", "raw_string"}
    | {"ansi_c_string", "number", "concatenation", "simple_expansion", "variable_name"}
    | {"special_variable_name", "brace_expression", "variable_assignment"}
    | {"variable_assignments", "declaration_command", "unset_command", "test_command"}
    | {"test_operator", "binary_expression", "unary_expression", "postfix_expression"}
    | {"ternary_expression", "regex", "extglob_pattern", "list", "pipeline", "negated_command"}
    | {"redirected_statement", "file_redirect", "file_descriptor", "heredoc_redirect"}
    | {"heredoc_start", "heredoc_body", "heredoc_content", "heredoc_end", "herestring_redirect"}
    | {"do_group", "elif_clause", "else_clause", "case_item", "comment"}
)
# Where characters beyond ASCII are nothing but text.
_TEXT = frozenset({"string_content", "raw_string", "ansi_c_string", "heredoc_content", "comment"})
# Where a backslash is nothing but a backslash; in a here-document the other parser knows.
_VERBATIM = frozenset({"raw_string", "heredoc_body", "comment"})
# Bash takes such a line end out before it looks for words, so it may tie two signs to one.
_TYING = re.compile(rb"(?<![\\ \t])(?:\\\\)*\\\n(?![ \t])")
_REDIRECTS = frozenset(("file_redirect", "heredoc_redirect", "herestring_redirect"))
_NOT_WORDS = _REDIRECTS | {"variable_assignment", "comment"}
# Characters beyond ASCII after a brace crash the grammar's scanner and the process with it. So a
# letter replaces each such byte, and their positions are checked afterwards.
_AS_LETTERS = bytes(code if code < 0x80 else ord("x") for code in range(256))


@cache
def _parser() -> "Parser":
    # Loaded at the first line that is read, so that other commands do not wait for it; and one that
    # is missing is then a refusal of that line.
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


@dataclass(slots=True)
class _TreeWalk:
    """The data collected while walking a tree."""

    outline: LineOutline
    # Where characters are text, and where backslashes are.
    text: list[tuple[int, int]] = field(default_factory=list)
    verbatim: list[tuple[int, int]] = field(default_factory=list)


def outline_of(source: bytes) -> LineOutline:
    """What tree-sitter sees. Raises `Refused` for what is malformed, too much, or not allowed."""
    root = _parser().parse(source.translate(_AS_LETTERS)).root_node
    if root.has_error:
        raise LineRefused("not-shell")
    if root.descendant_count > MOST_NODES:
        raise LineRefused("too-many-parts")
    walk = _TreeWalk(LineOutline(nodes=root.descendant_count))
    # Not recursive, because the line decides the depth.
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        kind = node.type
        if node.is_missing:
            raise LineRefused("not-shell")
        if kind not in _SILENT:
            _visit(node, kind, walk)
            depth += kind in _NESTING
            _check_amount(walk.outline.commands, depth)
        waiting += [(child, depth) for child in node.children if child.is_named]
    if not (source.isascii() or _mask(source, walk.text).isascii()):
        raise LineRefused("unquoted-characters")
    if b"\\\n" in source and _TYING.search(_mask(source, walk.verbatim)):
        raise LineRefused("line-goes-on")
    return walk.outline


def _visit(node: "Node", kind: str, walk: _TreeWalk) -> None:
    if kind == "subscript" and STATUS.fullmatch((node.text or b"").decode()):
        return
    if kind not in _KNOWN:
        raise LineRefused(_REFUSED.get(kind, "construct"))
    if kind == "process_substitution" and not (node.text or b"").startswith(b"<("):
        raise LineRefused(kind.replace("_", "-"))
    if kind == "comment" and (node.text or b"").endswith(b"\\"):
        raise LineRefused("comment-goes-on")
    if mark := _MARKED.get(kind):
        mark(node, walk.outline)
    if kind in _TEXT or (kind == "heredoc_body" and not node.child_count):
        walk.text.append((node.start_byte, node.end_byte))
    if kind in _VERBATIM:
        walk.verbatim.append((node.start_byte, node.end_byte))


def _check_amount(commands: int, depth: int) -> None:
    if depth > DEEPEST_NESTING:
        raise LineRefused("nested-too-deep")
    if commands > MOST_COMMANDS:
        raise LineRefused("too-many-commands")


def _mask(source: bytes, spans: list[tuple[int, int]]) -> bytearray:
    rest = bytearray(source)
    for start, end in spans:
        rest[start:end] = b"x" * (end - start)
    return rest


def _mark_command(node: "Node", outline: LineOutline) -> None:
    words = [child for child in node.children if child.type not in _NOT_WORDS]
    if words and words[0].text == b"time" and words[0] == node.children[0]:
        words = _skip_time(words)
    outline.add_command([(word.start_byte, word.end_byte) for word in words])


def _skip_time(words: list["Node"]) -> list["Node"]:
    """The command after the keyword `time`, which this grammar parses as a name."""
    return words[2:] if len(words) > 1 and words[1].text == b"-p" else words[1:]


def _mark_assignment(node: "Node", outline: LineOutline) -> None:
    outline.add("assignment", node.start_byte, node.end_byte)


def _mark_test(node: "Node", outline: LineOutline) -> None:
    outline.commands += 1
    outline.add("test", node.start_byte, node.end_byte)


def _mark_loop(node: "Node", outline: LineOutline) -> None:
    variable = node.child_by_field_name("variable")
    if variable is None or node.children[0].type != "for":
        raise LineRefused("select")
    outline.add("loop", variable.start_byte, variable.end_byte)
    for value in node.children_by_field_name("value"):
        outline.add("value", value.start_byte, value.end_byte)


def _mark_file(node: "Node", outline: LineOutline) -> None:
    children = [child for child in node.children if child.type != "file_descriptor"]
    operator, targets = children[0].type, children[1:]
    if operator.endswith("-"):
        outline.add(operator[:-1], children[0].end_byte - 1, children[0].end_byte)
    elif targets:
        outline.add(operator, targets[0].start_byte, targets[0].end_byte)
        targets = targets[1:]
    # The grammar gives the words behind a target to the redirection; they are the command's.
    for word in targets:
        outline.add("word", word.start_byte, word.end_byte)


def _mark_heredoc(node: "Node", outline: LineOutline) -> None:
    for word in node.children_by_field_name("argument"):
        outline.add("word", word.start_byte, word.end_byte)
    for mark in [child for child in node.children if child.type == "heredoc_end"]:
        outline.add("<<", mark.start_byte, mark.end_byte)


def _mark_herestring(node: "Node", outline: LineOutline) -> None:
    target = node.children[-1]
    outline.add("<<<", target.start_byte, target.end_byte)


_MARKED = {
    "command": _mark_command,
    "declaration_command": _mark_command,
    "unset_command": _mark_command,
    "variable_assignment": _mark_assignment,
    "test_command": _mark_test,
    "for_statement": _mark_loop,
    "file_redirect": _mark_file,
    "heredoc_redirect": _mark_heredoc,
    "herestring_redirect": _mark_herestring,
}
# There is nothing to see to but their children; in most lines that is most nodes.
_SILENT = _KNOWN - _NESTING - _MARKED.keys() - _TEXT - _VERBATIM
