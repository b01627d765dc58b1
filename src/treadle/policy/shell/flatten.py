"""From the shape of a line to the list of its commands, each with the shell it runs in. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import assert_never

from treadle.policy.shell.nodes import (
    Apart,
    Branching,
    Inside,
    Joined,
    Negated,
    Node,
    Piped,
    Sequence,
    Simple,
)
from treadle.policy.shell.syntax import Command, Loop, Mention, Script


@dataclass(frozen=True, slots=True)
class _Place:
    scope: tuple[int, ...] = ()
    certain: bool = True
    # Whatever follows in this scope runs only if this part succeeded.
    needed: bool = True
    inside: Inside = ""
    background: bool = False
    loops: tuple[str, ...] = ()
    fed: bool = False
    input_shown: bool = False


@dataclass(slots=True)
class _Listing:
    commands: list[Command] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    scopes: Iterator[int] = field(default_factory=lambda: count(1))

    def inner(self, place: _Place) -> _Place:
        scope = (*place.scope, next(self.scopes))
        return _Place(scope, inside=place.inside, background=place.background, loops=place.loops)

    def add(self, node: Node, place: _Place) -> None:
        match node:
            case Simple():
                self._add_simple(node, place)
            case Joined():
                self._add_joined(node, place)
            case Piped():
                self._add_piped(node, place)
            case Sequence():
                self._add_sequence(node, place)
            case Apart():
                self._add_apart(node, place)
            case Branching():
                self._add_branching(node, place)
            case Negated():
                self.add(node.body, replace(place, needed=False))
            case _:
                assert_never(node)

    def _add_simple(self, node: Simple, place: _Place) -> None:
        for body in node.bodies:
            self._add_apart(body, place)
        if place == _AT_TOP:
            self.commands.append(node.command)
            return
        given = node.command
        self.commands.append(
            Command(
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

    def _add_piped(self, node: Piped, place: _Place) -> None:
        before: Node | None = None
        for part in node.parts:
            where = self.inner(place)
            if isinstance(part, Simple) and before is not None and _shows_text(before):
                where = replace(where, input_shown=True)
            self.add(part, where)
            before = part

    def _add_joined(self, node: Joined, place: _Place) -> None:
        if node.operator == "&&":
            self.add(node.left, place)
            # Once a part is not needed, what hangs on it is not certain.
            still = place.needed or not place.certain
            self.add(node.right, place if still else replace(place, certain=False))
        else:
            self.add(node.left, replace(place, needed=False))
            self.add(node.right, replace(place, certain=False, needed=False))

    def _add_sequence(self, node: Sequence, place: _Place) -> None:
        followed = replace(place, needed=False)
        for part in node.parts[:-1]:
            self.add(part, followed)
        for part in node.parts[-1:]:
            fed = place.fed or (len(node.parts) == 2 and _opens_input(node.parts[0]))
            self.add(part, replace(place, fed=fed) if fed else place)

    def _add_apart(self, node: Apart, place: _Place) -> None:
        inner = self.inner(place)
        self.add(
            node.body,
            replace(
                inner,
                inside=node.inside or place.inside,
                background=node.background or place.background,
            ),
        )

    def _add_branching(self, node: Branching, place: _Place) -> None:
        loops = place.loops
        if node.loop is not None:
            self.loops.append(node.loop)
            loops = (*loops, node.loop.variable)
        self.add(node.first, replace(place, needed=False))
        self._mention(node, place)
        for branch in node.branches:
            self.add(branch, replace(place, certain=False, needed=False, loops=loops))

    def _mention(self, node: Branching, place: _Place) -> None:
        words = node.loop.values if node.loop else (node.subject,) if node.subject else ()
        if words:
            variable = node.loop.variable if node.loop else ""
            self.mentions.append(
                Mention(words, len(self.commands), place.scope, place.loops, variable)
            )


def _opens_input(node: Node) -> bool:
    """Redirections without a command: those of the compound one that follows."""
    if not isinstance(node, Simple) or node.command.words:
        return False
    return any(each.kind in {"read", "heredoc", "herestring"} for each in node.command.redirects)


def _shows_text(node: Node) -> bool:
    """`cat <<'EOF'`: all that it prints stands in the line."""
    if not isinstance(node, Simple) or len(node.command.redirects) != 1:
        return False
    redirect = node.command.redirects[0]
    here = redirect.kind in {"heredoc", "herestring"} and redirect.descriptor in {"", "0"}
    text = redirect.target
    made = (text.variables or text.substitutes) and text.text.lstrip()[:1] in ("$", "`")
    said = [word.text for word in node.command.words]
    return here and not made and said in (["cat"], ["cat", "-"])


_AT_TOP = _Place()


def flatten(node: Node) -> Script:
    """Every command of the line in the order of its text, substitutions before their command."""
    listing = _Listing()
    listing.add(node, _AT_TOP)
    return Script(tuple(listing.commands), tuple(listing.loops), tuple(listing.mentions))
