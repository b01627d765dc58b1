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
    # Further possible directories, if an unchecked `cd` failed.
    perhaps: tuple[str, ...] = ()


@dataclass(slots=True)
class DirectoryTracker:
    """Receives a line's commands in order; returns the location of each."""

    context: ShellContext
    lookups: SystemLookups
    root: str
    _where: dict[tuple[int, ...], _Directories] = field(default_factory=dict)

    def locate(self, command: ShellCommand, *, last: bool) -> CommandLocation:
        """Where a command runs; for the `last` one, earlier `cd` commands have succeeded."""
        where = self._of(command.scope)
        directories = where.directories
        if not last:
            directories = tuple(dict.fromkeys((*directories, *where.perhaps)))
        return CommandLocation(
            self.context, self.lookups, self.root, directories, where.left_behind
        )

    def record_cd(self, command: ShellCommand, targets: tuple[str, ...]) -> bool:
        """Record a `cd` to one of these; False if there are too many directories to check.

        A `cd` to a missing directory may fail, and what follows it after `;` still runs.
        """
        before = self._of(command.scope)
        reached = tuple(absolute(at, target) for at in before.directories for target in targets)
        perhaps = tuple(absolute(at, target) for at in before.perhaps for target in targets)
        stays: tuple[str, ...] = ()
        if not all(self.lookups.what_is(at) == "directory" for at in (*reached, *perhaps)):
            stays = (*before.directories, *before.perhaps)
        if not command.needed:
            perhaps = (*perhaps, *stays)
        if not command.certain:
            reached = (*before.directories, *reached)
            perhaps = (*before.perhaps, *perhaps)
        directories = tuple(dict.fromkeys(reached))
        possible = tuple(dict.fromkeys(perhaps))
        left_behind = tuple(dict.fromkeys((*before.left_behind, *stays)))
        self._where[command.scope] = _Directories(
            directories[:MOST], left_behind[:MOST], possible[:MOST]
        )
        return len(directories) <= MOST and len(possible) <= MOST

    def _of(self, scope: tuple[int, ...]) -> _Directories:
        if scope not in self._where:
            start = self.context.directory or self.root
            self._where[scope] = self._of(scope[:-1]) if scope else _Directories((start,))
        return self._where[scope]
