"""Adds to a command the input that the line itself pipes into it. Pure."""

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from treadle.policy.commands.rule_syntax import names
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
from treadle.policy.shell.syntax import Redirect, ShellCommand, Word

_PRINTS = names("echo printf ls")
_TEXTS = frozenset({"heredoc", "herestring"})
_NAME = names("-name -iname")
_PATH = names("-path -ipath -wholename")


def with_piped_text(node: Node) -> Node:
    """`echo TEXT | sh` as `sh <<< TEXT`, and `find -name X | xargs` as `xargs <<< X`."""
    match node:
        case SimpleNode():
            bodies = tuple(map(_in_subshell, node.bodies))
            return replace(node, bodies=bodies) if node.bodies else node
        case PipelineNode():
            return PipelineNode(tuple(_feed(tuple(map(with_piped_text, node.parts)))))
        case SequenceNode():
            return SequenceNode(tuple(map(with_piped_text, node.parts)))
        case AndOrNode():
            return replace(node, left=with_piped_text(node.left), right=with_piped_text(node.right))
        case SubshellNode():
            return _in_subshell(node)
        case NegatedNode():
            return NegatedNode(with_piped_text(node.body))
        case BranchNode():
            branches = tuple(map(with_piped_text, node.branches))
            return replace(node, first=with_piped_text(node.first), branches=branches)
        case _:
            assert_never(node)


def _in_subshell(node: SubshellNode) -> SubshellNode:
    return replace(node, body=with_piped_text(node.body))


def _feed(parts: tuple[Node, ...]) -> Iterator[Node]:
    before: Node | None = None
    for part in parts:
        text = _printed(before.command) if isinstance(before, SimpleNode) else None
        before = part
        if text is None or not isinstance(part, SimpleNode) or not part.command.words:
            yield part
            continue
        redirect = Redirect("herestring", text)
        command = replace(part.command, redirects=(*part.command.redirects, redirect))
        yield replace(part, command=command)


def _printed(command: ShellCommand) -> Word | None:
    """What the command prints, if the line says it."""
    texts = [word.text for word in command.words]
    if not texts:
        return None
    if texts[0] == "cat" and len(texts) == 1:
        inputs = [each.target for each in command.redirects if each.kind in _TEXTS]
        return inputs[-1] if inputs else None
    if texts[0] == "find":
        return Word("\n".join(found_paths(command.arguments)))
    if texts[0] == "git" and texts[1:2] == ["ls-files"]:
        return Word("\n".join(text for text in texts[2:] if not text.startswith("-")))
    if texts[0] not in _PRINTS:
        return None
    kept = [text for text in texts[1:] if not text.startswith("-")]
    return Word(" ".join(kept).replace("\\n", "\n"))


def found_paths(arguments: tuple[Word, ...]) -> list[str]:
    """The paths and patterns that `find` prints: where it starts, with the names it looks for."""
    starts: list[str] = []
    for word in arguments:
        if word.text.startswith(("-", "(", "!")):
            break
        starts.append(word.text.rstrip("/") or "/")
    starts = starts or ["."]
    tests = list(_name_tests([word.text for word in arguments]))
    if not tests:
        return starts
    names_found = [f"{start}/{value}" for start in starts for test, value in tests if test in _NAME]
    return names_found + [value for test, value in tests if test in _PATH]


def _name_tests(texts: list[str]) -> Iterator[tuple[str, str]]:
    for at, text in enumerate(texts[:-1]):
        negated = at > 0 and texts[at - 1] in ("!", "-not")
        pruned = texts[at + 2 : at + 3] == ["-prune"]
        if text in _NAME | _PATH and not negated and not pruned:
            yield text, texts[at + 1]
