"""What every command is given: the environment it was started in, and where its project is."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.domain.errors import UsageError
from treadle.settings.environment import Environment

if TYPE_CHECKING:
    # Only a type: `status` and `ls` must not load what a run needs.
    from treadle.wiring.agent import Rehearsing


@dataclass(frozen=True, slots=True)
class Given:
    environment: Environment
    working_directory: Path
    rehearsing: "Rehearsing | None" = None

    def project_dir(self, option: str | None) -> Path:
        """The directory named by `-p`, or the current one."""
        path = (self.working_directory / option) if option else self.working_directory
        path = path.expanduser()
        if not path.exists():
            raise UsageError(
                f"{option} does not exist", hint="check the path given with -p/--project-dir"
            )
        if not path.is_dir():
            raise UsageError(f"{option} is not a directory", hint="-p takes a project directory")
        return path.resolve()
