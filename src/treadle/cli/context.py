"""The context of every command: its environment, its directory and how to find its project."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.domain.errors import UsageError
from treadle.settings.environment import Environment, with_project_database
from treadle.workspace.project_root import find_project_root

if TYPE_CHECKING:
    # Only types: `status` and `ls` must not load what a run needs.
    from treadle.cli.terminal.styled_lines import Advice
    from treadle.settings.load import ResolvedSettings
    from treadle.wiring.agent import Rehearsing

# The largest number that makes sense for a count; databases take no larger ones.
LARGEST_COUNT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class CommandContext:
    environment: Environment
    working_directory: Path
    rehearsing: "Rehearsing | None" = None
    # Whether the summary of a run ends with commands to type.
    advice: "Advice" = "given"

    def path(self, named: str) -> Path:
        """A path from the command line; `~` is HOME of the environment."""
        if named == "~" or named.startswith("~/"):
            return self.environment.home / named[2:]
        return self.working_directory / named

    def directory(self, option: str | None) -> Path:
        """The directory named by `-p`, or the current one."""
        path = self.path(option) if option else self.working_directory
        named = option or str(path)
        try:
            directory = path.resolve(strict=True)
        except FileNotFoundError:
            raise UsageError(f"{named} does not exist", hint="check the path") from None
        except (OSError, RuntimeError) as error:  # 3.11 and 3.12 raise RuntimeError for a link loop
            why = getattr(error, "strerror", None) or "its links are broken"
            raise UsageError(f"cannot reach {named}: {why}", hint="check the path") from None
        if not directory.is_dir():
            raise UsageError(f"{named} is not a directory", hint="-p takes a project directory")
        if not os.access(directory, os.R_OK | os.X_OK):
            raise UsageError(f"{named} cannot be read", hint="check its permissions with `ls -ld`")
        return directory

    def in_project(self, option: str | None) -> "CommandContext":
        """The same, with the database that the project keeps its runs in."""
        project = self.project(option)

        def require(resolved: "ResolvedSettings") -> None:
            from treadle.runs.trust import require_trust

            require_trust(self.environment, project, resolved)

        return replace(self, environment=with_project_database(self.environment, project, require))

    def project(self, option: str | None) -> Path:
        """The project that the directory named by `-p`, or the current one, is part of."""
        directory = self.directory(option)
        return find_project_root(directory) or directory
