"""Tracks the working directory of each command of a line through `cd`. Pure."""

from dataclasses import dataclass, field

from treadle.policy.judging.shell_context import (
    CommandLocation,
    ShellContext,
    SystemLookups,
    absolute,
)
from treadle.policy.shell.syntax import ShellCommand

MOST = 8


@dataclass(frozen=True, slots=True)
class _Directories:
    directories: tuple[str, ...]
    left_behind: tuple[str, ...] = ()
    # Where it may be as well, as a `cd` may have failed that nothing asked for.
    perhaps: tuple[str, ...] = ()


@dataclass(slots=True)
class DirectoryTracker:
    """Fed with a line's commands in order; tells where the next one may run."""

    context: ShellContext
    looks: SystemLookups
    root: str
    _where: dict[tuple[int, ...], _Directories] = field(default_factory=dict)

    def locate(self, command: ShellCommand, *, last: bool) -> CommandLocation:
        """Where it runs. The `last` step of a way need only be right if all before it went well."""
        where = self._of(command.scope)
        directories = where.directories
        if not last:
            directories = tuple(dict.fromkeys((*directories, *where.perhaps)))
        return CommandLocation(self.context, self.looks, self.root, directories, where.left_behind)

    def record_cd(self, command: ShellCommand, targets: tuple[str, ...]) -> bool:
        """A `cd` to one of these was met; False if there are too many places to look at now.

        One to what is not there may fail, and what follows it with `;` runs all the same.
        """
        before = self._of(command.scope)
        there = tuple(absolute(at, target) for at in before.directories for target in targets)
        perhaps = tuple(absolute(at, target) for at in before.perhaps for target in targets)
        stays: tuple[str, ...] = ()
        if not all(self.looks.what_is(at) == "directory" for at in (*there, *perhaps)):
            stays = (*before.directories, *before.perhaps)
        if not command.needed:
            perhaps = (*perhaps, *stays)
        if not command.certain:
            there = (*before.directories, *there)
            perhaps = (*before.perhaps, *perhaps)
        found = tuple(dict.fromkeys(there))
        besides = tuple(dict.fromkeys(perhaps))
        behind = tuple(dict.fromkeys((*before.left_behind, *stays)))
        self._where[command.scope] = _Directories(found[:MOST], behind[:MOST], besides[:MOST])
        return len(found) <= MOST and len(besides) <= MOST

    def _of(self, scope: tuple[int, ...]) -> _Directories:
        if scope not in self._where:
            start = self.context.directory or self.root
            self._where[scope] = self._of(scope[:-1]) if scope else _Directories((start,))
        return self._where[scope]
