"""The record that each workflow declares in `<name>/workflow.py`. Types only.

Records must be cheap to import, because every command that shows a run uses them.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.signal import Role

if TYPE_CHECKING:
    from treadle.domain.ports import Log
    from treadle.workflows.loop.run_loop import RunLoop
    from treadle.workflows.loop.run_parts import ProjectNotes, RunParts
    from treadle.workflows.queue.definition import QueueParts, QueueSource

# file: a file of the project is the specification. inputs: the inputs are. inputs_with_folder: they
# are, and refer to a folder of the project that no agent may change.
Specification = Literal["file", "inputs", "inputs_with_folder"]
# checkout: one run of a project at a time continues what earlier ones left, and its work lands in
# the checkout. branch: any number of runs at once, each on a branch of its own from the checkout's
# commit; nothing of it touches the checkout or other runs.
# queue: its items work, each in a run of its own; one queue of a project at a time.
# specs: any number of runs at once, beside one that works; they change specifications alone, which
# land in the checkout.
WorkPlace = Literal["checkout", "branch", "queue", "specs"]


class WorkingFiles(Protocol):
    """Files in the project that show a live run; they are archived with the run at its end."""

    def write(self, files: Mapping[str, str]) -> None:
        """Write these files by suffix, and remove others."""
        ...

    def archive(self, files: Mapping[str, str]) -> None: ...


class LogFollower(Protocol):
    """Keeps files of a workflow in sync with the log of a run."""

    def load(self, log: Iterable[RecordedEvent]) -> None:
        """Read the log of earlier processes. Writes nothing."""
        ...

    def refresh(self) -> None:
        """Write the files for the current log."""
        ...

    def apply(self, recorded: RecordedEvent) -> None: ...

    def close(self) -> None:
        """Called when the run ends."""
        ...


async def build_nothing(parts: "RunParts") -> "RunLoop":
    """For queues."""
    raise AssertionError("a queue has no sessions of its own")


def require_nothing(project: Path) -> None:
    """For workflows that can start in any project."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """One workflow. Only its folder, its command and the registry know its name."""

    name: str
    # The role of each instruction; its text is `<name>/prompts/<instruction>.md`.
    roles: Mapping[str, Role]
    # Texts for people while a session with this instruction runs.
    labels: Mapping[str, str]
    specification: Specification
    # The end reasons of its own decisions; `domain.exit_reasons` has the code of each.
    ends: tuple[ExitReason, ...]
    # Builds the loop of one run. Imports what it needs when it is called.
    build: Callable[["RunParts"], Awaitable["RunLoop"]] = build_nothing
    # For a queue: its items, instead of a loop.
    items: Callable[["QueueParts"], "QueueSource"] | None = None
    # The workflow whose instructions it uses; empty: its own.
    prompts_of: str = ""
    # Names of inputs that a person may pass besides settings.
    inputs: tuple[str, ...] = ()
    # Those with which the text of others starts the run: it gets no included files.
    foreign_inputs: tuple[str, ...] = ()
    # Raises a UsageError before the run exists.
    check: Callable[[Path], None] = require_nothing
    # Whether it works on deliverables.
    has_deliverables: bool = True
    # status: in status.json, for people to edit, and for the next run. log: in the run's log alone.
    deliverables_in: Literal["status", "log"] = "status"
    # Whether its work lands in the checkout; whether the project's tests run on it.
    lands: bool = True
    runs_tests: bool = True
    place: WorkPlace = "checkout"
    # Whether it asks about its plan whatever the settings say.
    asks_about_plan: bool = False
    # Whether the run follows the pull request that it has opened.
    follows: bool = False
    # Instructions that carry out an approved plan: `[execution]` is about their sessions.
    execution: tuple[str, ...] = ()
    # Settings that have another name for this workflow, by the general one.
    settings: Mapping[str, str] = field(default_factory=dict)
    # Whether all work of earlier runs must be in the checkout first.
    needs_landed_work: bool = False
    # Types of events that later runs read: they stay when the run is cleaned.
    lasting_events: tuple[str, ...] = ()
    # The warning if a successful run changed no file.
    unchanged_warning: str = ""
    # Whether it hands the terminal to the agent, for a person to talk to it.
    needs_terminal: bool = False
    # Writes what the sessions have handed over, once their work is in the checkout.
    apply_notes: Callable[[Iterable[RecordedEvent], "ProjectNotes", "Log"], None] | None = None
    # Makes the log follower of a run from the inputs of the run.
    follow_log: Callable[[WorkingFiles, Mapping[str, str]], LogFollower] | None = None
