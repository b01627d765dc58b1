"""Handles here-documents that the parsers get wrong. Pure.

With a quoted mark the body is plain text. Its end is found here as in bash, and both parsers
must agree on its beginning: one as `<`, the other as `<<`.
"""

import re
from dataclasses import dataclass, field
from typing import assert_never

from treadle.policy.shell.line_outline import Mark
from treadle.policy.shell.shell_nodes import (
    AndOrNode,
    BranchNode,
    NegatedNode,
    Node,
    PipelineNode,
    SequenceNode,
    SimpleNode,
    SubshellNode,
)

# After the mark, only text that cannot contain another mark or continue the line.
_OPENING = re.compile(
    rb"""(?<!<)<<(?P<quote>['"])(?P<mark>\w+)(?P=quote)(?P<rest>[ \t\w./:=,@%+*?~|&;>-]*)\n"""
)


@dataclass(frozen=True, slots=True)
class MaskedLine:
    """A line of the same length, and what its marks replace in the original line."""

    source: bytes
    marks: dict[Mark, Mark] = field(default_factory=dict)


def mask_heredocs(source: bytes) -> MaskedLine:
    """The line with `< xxx` for each here-document and blanks for its text."""
    rest = bytearray(source)
    marks: dict[Mark, Mark] = {}
    position = 0
    while found := _OPENING.search(source, position):
        closing = re.compile(rb"^" + found["mark"] + rb"$", re.MULTILINE)
        end = closing.search(source, found.end())
        if end is None:
            break
        start, stop = found.start(), found.end("mark") + 1
        rest[start:stop] = b"<" + b"x" * (stop - start - 1)
        rest[found.end() : end.end()] = b" " * (end.end() - found.end())
        marks["<", start + 1, stop] = ("<<", end.start(), end.end())
        position = end.end()
    return MaskedLine(bytes(rest), marks)


def loses_separators(body: Node) -> bool:
    """Whether bash 5.2 may join two commands of a substitution.

    It prints the substitution and parses that again, and after a here-document the next `;` is
    missing: `a <<E … E`, `b;c` becomes `a` and `b c`.
    """
    return _holds_document(body) and not _is_chain(body)


def _holds_document(node: Node) -> bool:
    match node:
        case SimpleNode():
            return any(redirect.kind == "heredoc" for redirect in node.command.redirects)
        case PipelineNode() | SequenceNode():
            return any(map(_holds_document, node.parts))
        case AndOrNode():
            return _holds_document(node.left) or _holds_document(node.right)
        case SubshellNode() | NegatedNode():
            return _holds_document(node.body)
        case BranchNode():
            return any(map(_holds_document, (node.first, *node.branches)))
        case _:
            assert_never(node)


def _is_chain(node: Node) -> bool:
    """Commands with `|`, `&&` and `||` between them, which stay."""
    if isinstance(node, AndOrNode):
        return _is_chain(node.left) and _is_chain(node.right)
    if isinstance(node, PipelineNode):
        return all(map(_is_chain, node.parts))
    return isinstance(node, SimpleNode)
