"""Parses a shell text into a syntax tree, and finds the parts of its redirections. Pure."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LONGEST = 64 * 1024
_MOST_NODES = 20_000
# The grammar's scanner crashes on other characters after a brace.
_AS_LETTERS = bytes(code if code < 0x80 else ord("x") for code in range(256))
_REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_HEREDOC_PARTS = frozenset({"heredoc_start", "heredoc_body", "heredoc_end"})


def parse_shell(text: str) -> "Node | None":
    """The root of the syntax tree; None for a text that cannot be read. Letters beyond ASCII are
    replaced in it, byte by byte."""
    source = text.encode(errors="surrogateescape")
    if len(source) > _LONGEST:
        return None
    root = _parser().parse(source.translate(_AS_LETTERS)).root_node
    return None if root.has_error or root.descendant_count > _MOST_NODES else root


@cache
def _parser() -> "Parser":
    # Loaded at the first line that is read, so that other commands do not wait for it.
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def redirections(node: "Node") -> Iterator["Node"]:
    """The redirections of a command, also those behind the start of a here-document."""
    for child in node.named_children:
        if child.type in _REDIRECTS:
            yield child
        if child.type == "heredoc_redirect":
            yield from redirections(child)


def heredoc_bodies(node: "Node") -> Iterator["Node"]:
    """The texts of the here-documents of a command."""
    for redirect in redirections(node):
        yield from (child for child in redirect.named_children if child.type == "heredoc_body")


def commands_behind_heredocs(node: "Node") -> Iterator["Node"]:
    """What stands on the line behind `<<END`: the grammar puts it into the redirection."""
    for redirect in redirections(node):
        if redirect.type == "heredoc_redirect":
            for child in redirect.named_children:
                if child.type not in _HEREDOC_PARTS | _REDIRECTS:
                    yield child
