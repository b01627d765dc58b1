"""What a workflow declares about itself, in one record in `<name>/workflow.py`. Types only.

Records are cheap to import: whatever shows a run asks them for words.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.run import ExitReason
from treadle.domain.signal import Role

if TYPE_CHECKING:
    from treadle.workflows.loop.run_loop import RunLoop
    from treadle.workflows.loop.run_parts import RunParts

# A file of the project is the text that the work is held against; or the inputs are, and a folder
# of the project holds what they refer to, which no agent may change.
Specification = Literal["file", "inputs_with_folder"]


class WorkingFiles(Protocol):
    """Files in the project that show a live run; they move to the run's history at its end."""

    def write(self, wanted: Mapping[str, str]) -> None:
        """Have these files, by their endings, and no others."""
        ...

    def archive(self, wanted: Mapping[str, str]) -> None: ...


class LogFollower(Protocol):
    """Keeps something of a workflow's own in step with the log of a run."""

    def load(self, log: Iterable[RecordedEvent]) -> None:
        """Take in what was recorded before this process came to the run. Writes nothing."""
        ...

    def refresh(self) -> None:
        """Write what follows from the log so far."""
        ...

    def apply(self, recorded: RecordedEvent) -> None: ...

    def close(self) -> None:
        """The run ends."""
        ...


def require_nothing(project: Path) -> None:
    """For workflows that can start in any project."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """Nothing outside a workflow's folder, its command and the registry knows its name."""

    name: str
    # The role of each instruction; its text is `<name>/prompts/<instruction>.md`.
    roles: Mapping[str, Role]
    # What a person reads while a session with this instruction runs.
    labels: Mapping[str, str]
    specification: Specification
    # The end reasons that only its own decisions give; `domain.exit_codes` has the code of each.
    ends: tuple[ExitReason, ...]
    # Puts the loop of one run together. Imports what it needs when it is called.
    build: Callable[["RunParts"], Awaitable["RunLoop"]]
    # Names of what a person may pass besides settings.
    inputs: tuple[str, ...] = ()
    # Raises a UsageError before the run exists.
    check: Callable[[Path], None] = require_nothing
    # Whether it works on deliverables; others only show them if the project has some.
    has_deliverables: bool = True
    # Whether its work lands in the checkout, and whether the project's tests judge it.
    lands: bool = True
    runs_tests: bool = True
    # Whether all work of earlier runs must be in the checkout first.
    needs_landed_work: bool = False
    # The warning about a success that changed no file.
    unchanged_warning: str = ""
    # What follows the log of a run beside the screens; given the inputs of the run.
    follow_log: Callable[[WorkingFiles, Mapping[str, str]], LogFollower] | None = None
