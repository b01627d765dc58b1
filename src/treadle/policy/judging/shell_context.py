"""The inputs of a decision besides the line: settings, system lookups, working directories."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from posixpath import join, normpath
from typing import Literal, TypeAlias

from treadle.domain.shell import ParseLine
from treadle.policy.roles import ShellSet

# What a path is now, if anything.
FileType = Literal["", "file", "directory"]

RealPath: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class SystemLookups:
    """Lookups on the system, so that the decision itself reads nothing.

    `real_path` follows links as far as they exist. `which` finds a program on a fixed search path.
    """

    real_path: RealPath
    which: Callable[[str], str | None]
    what_is: Callable[[str], FileType]
    shfmt: ParseLine


@dataclass(frozen=True, slots=True)
class ShellContext:
    """The role, the workspace and the project's settings for a decision."""

    root: str
    # Where the line starts; empty: the root.
    directory: str = ""
    # Active language profiles; empty: all.
    profiles: tuple[str, ...] = ()
    roles: ShellSet = "run"
    allow_commands: tuple[str, ...] = ()
    allow_pkill_targets: tuple[str, ...] = ()
    destructive: bool = False
    ask_before: tuple[str, ...] = ()
    # Further protected paths and patterns in the project.
    protected: tuple[str, ...] = ()
    # Whether commands can reach databases on other machines.
    reachable: bool = False


@dataclass(frozen=True, slots=True)
class CommandLocation:
    """Where one command runs: `directories` are all those it may be in when it starts."""

    context: ShellContext
    lookups: SystemLookups
    root: str
    directories: tuple[str, ...]
    # Where it may be besides, if a `cd` before it failed.
    left_behind: tuple[str, ...] = field(default=())

    def after_cd(self, directory: str) -> "CommandLocation":
        """The same, one `cd` further, as options like `-C` do it."""
        return replace(
            self,
            directories=tuple(absolute(at, directory) for at in self.directories),
            left_behind=tuple(absolute(at, directory) for at in self.left_behind),
        )


def absolute(directory: str, path: str) -> str:
    """The path from the root of the disk, by its text alone."""
    return normpath(join(directory, path))
