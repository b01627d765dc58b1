"""Where each command of a line runs: `cd` followed through its subshells, by text. Pure."""

from dataclasses import dataclass, field

from treadle.policy.judging.place import Looks, Place, ShellContext, absolute
from treadle.policy.shell.syntax import Command

MOST = 8


@dataclass(frozen=True, slots=True)
class _Where:
    directories: tuple[str, ...]
    left_behind: tuple[str, ...] = ()


@dataclass(slots=True)
class Scopes:
    """Fed with a line's commands in order; tells where the next one may run."""

    context: ShellContext
    looks: Looks
    root: str
    _where: dict[tuple[int, ...], _Where] = field(default_factory=dict)

    def place(self, command: Command) -> Place:
        where = self._of(command.scope)
        return Place(self.context, self.looks, self.root, where.directories, where.left_behind)

    def changed(self, command: Command, targets: tuple[str, ...]) -> None:
        """A `cd` to one of these was met."""
        before = self._of(command.scope)
        there = tuple(absolute(at, target) for at in before.directories for target in targets)
        stays = (
            () if all(self.looks.what_is(at) == "directory" for at in there) else before.directories
        )
        if not command.certain:
            there = (*before.directories, *there)
        self._where[command.scope] = _Where(
            tuple(dict.fromkeys(there))[:MOST],
            tuple(dict.fromkeys((*before.left_behind, *stays)))[:MOST],
        )

    def _of(self, scope: tuple[int, ...]) -> _Where:
        if scope not in self._where:
            start = self.context.directory or self.root
            self._where[scope] = self._of(scope[:-1]) if scope else _Where((start,))
        return self._where[scope]
