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
from treadle.policy.shell.syntax import Loop, ParsedLine, ShellCommand, WordMention


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
    input_shown: bool = False


@dataclass(slots=True)
class _CommandCollector:
    commands: list[ShellCommand] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    mentions: list[WordMention] = field(default_factory=list)
    scopes: Iterator[int] = field(default_factory=lambda: count(1))

    def nested(self, place: _Position) -> _Position:
        scope = (*place.scope, next(self.scopes))
        return _Position(scope, inside=place.inside, background=place.background, loops=place.loops)

    def add(self, node: Node, place: _Position) -> None:
        match node:
            case SimpleNode():
                self._add_simple(node, place)
            case AndOrNode():
                self._add_joined(node, place)
            case PipelineNode():
                self._add_piped(node, place)
            case SequenceNode():
                self._add_sequence(node, place)
            case SubshellNode():
                self._add_apart(node, place)
            case BranchNode():
                self._add_branching(node, place)
            case NegatedNode():
                self.add(node.body, replace(place, needed=False))
            case _:
                assert_never(node)

    def _add_simple(self, node: SimpleNode, place: _Position) -> None:
        for body in node.bodies:
            self._add_apart(body, place)
        if place == _AT_TOP:
            self.commands.append(node.command)
            return
        given = node.command
        self.commands.append(
            ShellCommand(
                given.words,
                given.assignments,
                given.redirects,
                place.scope,
                place.certain,
                place.inside,
                place.background,
                place.loops,
                place.fed,
                place.input_shown,
                place.needed,
            )
        )

    def _add_piped(self, node: PipelineNode, place: _Position) -> None:
        before: Node | None = None
        for part in node.parts:
            where = self.nested(place)
            if isinstance(part, SimpleNode) and before is not None and _shows_text(before):
                where = replace(where, input_shown=True)
            self.add(part, where)
            before = part

    def _add_joined(self, node: AndOrNode, place: _Position) -> None:
        if node.operator == "&&":
            self.add(node.left, place)
            # Once a part is not needed, what hangs on it is not certain.
            still = place.needed or not place.certain
            self.add(node.right, place if still else replace(place, certain=False))
        else:
            self.add(node.left, replace(place, needed=False))
            self.add(node.right, replace(place, certain=False, needed=False))

    def _add_sequence(self, node: SequenceNode, place: _Position) -> None:
        followed = replace(place, needed=False)
        for part in node.parts[:-1]:
            self.add(part, followed)
        for part in node.parts[-1:]:
            fed = place.fed or (len(node.parts) == 2 and _opens_input(node.parts[0]))
            self.add(part, replace(place, fed=fed) if fed else place)

    def _add_apart(self, node: SubshellNode, place: _Position) -> None:
        inner = self.nested(place)
        self.add(
            node.body,
            replace(
                inner,
                inside=node.inside or place.inside,
                background=node.background or place.background,
            ),
        )

    def _add_branching(self, node: BranchNode, place: _Position) -> None:
        loops = place.loops
        if node.loop is not None:
            self.loops.append(node.loop)
            loops = (*loops, node.loop.variable)
        self.add(node.first, replace(place, needed=False))
        self._mention(node, place)
        for branch in node.branches:
            self.add(branch, replace(place, certain=False, needed=False, loops=loops))

    def _mention(self, node: BranchNode, place: _Position) -> None:
        words = node.loop.values if node.loop else (node.subject,) if node.subject else ()
        if words:
            variable = node.loop.variable if node.loop else ""
            self.mentions.append(
                WordMention(words, len(self.commands), place.scope, place.loops, variable)
            )


def _opens_input(node: Node) -> bool:
    """Redirections without a command: those of the compound one that follows."""
    if not isinstance(node, SimpleNode) or node.command.words:
        return False
    return any(each.kind in {"read", "heredoc", "herestring"} for each in node.command.redirects)


def _shows_text(node: Node) -> bool:
    """`cat <<'EOF'`: all that it prints stands in the line."""
    if not isinstance(node, SimpleNode) or len(node.command.redirects) != 1:
        return False
    redirect = node.command.redirects[0]
    here = redirect.kind in {"heredoc", "herestring"} and redirect.descriptor in {"", "0"}
    text = redirect.target
    made = (text.variables or text.substitutes) and text.text.lstrip()[:1] in ("$", "`")
    said = [word.text for word in node.command.words]
    return here and not made and said in (["cat"], ["cat", "-"])


_AT_TOP = _Position()


def flatten(node: Node) -> ParsedLine:
    """Every command of the line in the order of its text, substitutions before their command."""
    listing = _CommandCollector()
    listing.add(node, _AT_TOP)
    return ParsedLine(tuple(listing.commands), tuple(listing.loops), tuple(listing.mentions))
