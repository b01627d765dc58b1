"""What every command is given: the environment it was started in, and where its project is."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.domain.errors import UsageError
from treadle.settings.environment import Environment
from treadle.settings.storage import located
from treadle.workspace.place import enclosing_project

if TYPE_CHECKING:
    # Only types: `status` and `ls` must not load what a run needs.
    from treadle.cli.terminal.view import Advice
    from treadle.settings.load import Resolved
    from treadle.wiring.agent import Rehearsing

# The largest number that makes sense for a count; databases take no larger ones.
MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Given:
    environment: Environment
    working_directory: Path
    rehearsing: "Rehearsing | None" = None
    # Whether what is shown at a run's end can be gone on with.
    advice: "Advice" = "given"

    def path(self, named: str) -> Path:
        """A path from the command line; `~` is the home that the environment names."""
        if named == "~" or named.startswith("~/"):
            return self.environment.home / named[2:]
        return self.working_directory / named

    def directory(self, option: str | None) -> Path:
        """The directory named by `-p`, or the current one."""
        path = self.path(option) if option else self.working_directory
        named = option or str(path)
        try:
            found = path.resolve(strict=True)
        except FileNotFoundError:
            raise UsageError(f"{named} does not exist", hint="check the path") from None
        except (OSError, RuntimeError) as error:  # 3.11 and 3.12 say RuntimeError for a link loop
            why = getattr(error, "strerror", None) or "its links lead nowhere"
            raise UsageError(f"cannot reach {named}: {why}", hint="check the path") from None
        if not found.is_dir():
            raise UsageError(f"{named} is not a directory", hint="-p takes a project directory")
        if not os.access(found, os.R_OK | os.X_OK):
            raise UsageError(f"{named} cannot be read", hint="check its permissions with `ls -ld`")
        return found

    def in_project(self, option: str | None) -> "Given":
        """The same, with the database that the project keeps its runs in."""
        project = self.project(option)

        def require(resolved: "Resolved") -> None:
            from treadle.wiring.trust import require_trust

            require_trust(self.environment, project, resolved)

        return replace(self, environment=located(self.environment, project, require))

    def project(self, option: str | None) -> Path:
        """The project that the directory named by `-p`, or the current one, is part of."""
        directory = self.directory(option)
        return enclosing_project(directory) or directory
