"""Flattens the node tree of a line into its commands, each with its shell scope. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import assert_never

from treadle.policy.shell.shell_nodes import (
    AndOrNode,
    BranchNode,
    NegatedNode,
    Node,
    OutputUse,
    PipelineNode,
    SequenceNode,
    SimpleNode,
    SubshellNode,
)
from treadle.policy.shell.syntax import Loop, ParsedLine, ShellCommand, WordsOutsideCommands


@dataclass(frozen=True, slots=True)
class _Position:
    scope: tuple[int, ...] = ()
    certain: bool = True
    # Whatever follows in this scope runs only if this part succeeded.
    needed: bool = True
    inside: OutputUse = ""
    background: bool = False
    loops: tuple[str, ...] = ()
    fed: bool = False
    piped: tuple[ShellCommand, ...] = ()


@dataclass(slots=True)
class _CommandCollector:
    commands: list[ShellCommand] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    mentions: list[WordsOutsideCommands] = field(default_factory=list)
    scopes: Iterator[int] = field(default_factory=lambda: count(1))

    def nested(self, position: _Position) -> _Position:
        scope = (*position.scope, next(self.scopes))
        return _Position(
            scope, inside=position.inside, background=position.background, loops=position.loops
        )

    def add(self, node: Node, position: _Position) -> None:
        match node:
            case SimpleNode():
                self._add_simple(node, position)
            case AndOrNode():
                self._add_joined(node, position)
            case PipelineNode():
                self._add_piped(node, position)
            case SequenceNode():
                self._add_sequence(node, position)
            case SubshellNode():
                self._add_apart(node, position)
            case BranchNode():
                self._add_branching(node, position)
            case NegatedNode():
                self.add(node.body, replace(position, needed=False))
            case _:
                assert_never(node)

    def _add_simple(self, node: SimpleNode, position: _Position) -> None:
        for body in node.bodies:
            self._add_apart(body, position)
        if position == _AT_TOP:
            self.commands.append(node.command)
            return
        given = node.command
        self.commands.append(
            ShellCommand(
                given.words,
                given.assignments,
                given.redirects,
                position.scope,
                position.certain,
                position.inside,
                position.background,
                position.loops,
                position.fed,
                position.piped,
                position.needed,
            )
        )

    def _add_piped(self, node: PipelineNode, position: _Position) -> None:
        simple = True
        before: tuple[ShellCommand, ...] = ()
        for part in node.parts:
            self.add(part, replace(self.nested(position), piped=before))
            simple = simple and isinstance(part, SimpleNode)
            before = (*before, part.command) if simple and isinstance(part, SimpleNode) else ()

    def _add_joined(self, node: AndOrNode, position: _Position) -> None:
        if node.operator == "&&":
            self.add(node.left, position)
            # Once a part is not needed, what hangs on it is not certain.
            still = position.needed or not position.certain
            self.add(node.right, position if still else replace(position, certain=False))
        else:
            self.add(node.left, replace(position, needed=False))
            self.add(node.right, replace(position, certain=False, needed=False))

    def _add_sequence(self, node: SequenceNode, position: _Position) -> None:
        followed = replace(position, needed=False)
        for part in node.parts[:-1]:
            self.add(part, followed)
        for part in node.parts[-1:]:
            fed = position.fed or (len(node.parts) == 2 and _opens_input(node.parts[0]))
            self.add(part, replace(position, fed=fed) if fed else position)

    def _add_apart(self, node: SubshellNode, position: _Position) -> None:
        inner = self.nested(position)
        self.add(
            node.body,
            replace(
                inner,
                inside=node.inside or position.inside,
                background=node.background or position.background,
            ),
        )

    def _add_branching(self, node: BranchNode, position: _Position) -> None:
        loops = position.loops
        if node.loop is not None:
            self.loops.append(node.loop)
            loops = (*loops, node.loop.variable)
        self.add(node.first, replace(position, needed=False))
        self._mention(node, position)
        for branch in node.branches:
            self.add(branch, replace(position, certain=False, needed=False, loops=loops))

    def _mention(self, node: BranchNode, position: _Position) -> None:
        words = node.loop.values if node.loop else (node.subject,) if node.subject else ()
        if words:
            variable = node.loop.variable if node.loop else ""
            self.mentions.append(
                WordsOutsideCommands(
                    words, len(self.commands), position.scope, position.loops, variable
                )
            )


def _opens_input(node: Node) -> bool:
    """Redirections without a command: those of the compound one that follows."""
    if not isinstance(node, SimpleNode) or node.command.words:
        return False
    return any(each.kind in {"read", "heredoc", "herestring"} for each in node.command.redirects)


_AT_TOP = _Position()


def flatten(node: Node) -> ParsedLine:
    """Every command of the line in the order of its text, substitutions before their command."""
    listing = _CommandCollector()
    listing.add(node, _AT_TOP)
    return ParsedLine(tuple(listing.commands), tuple(listing.loops), tuple(listing.mentions))
