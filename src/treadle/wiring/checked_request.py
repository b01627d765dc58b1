"""The checked request of a run, and what the process that executes it provides. Types only."""

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from treadle.adapters.agents.registry import find_kind
from treadle.adapters.stores.recorder import EventReader
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.agent import CommitIdentity, Terminal
from treadle.domain.agent_kind import AgentKind
from treadle.domain.events.run import SandboxMode
from treadle.domain.run_request import RunRequest
from treadle.gateway.sandbox_network import SandboxIndexes
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.wiring.agent import PRIVATE_HOME, Rehearsing
from treadle.wiring.package_indexes import PackageLogins
from treadle.wiring.sandbox import SandboxReach
from treadle.workflows.definition import Workflow
from treadle.workflows.loop.landing import Ask
from treadle.workflows.loop.workspace_spec import PreviousRuns
from treadle.workflows.registry import find_workflow
from treadle.workspace.included_files import IncludedFiles
from treadle.workspace.project import Project

SignalName = Literal["SIGINT", "SIGTERM", "SIGHUP", "cancel", "pause"]
Signals = Callable[[Callable[[SignalName], None], Callable[[], None]], AbstractContextManager[None]]


@contextmanager
def ignore_signals(
    first: Callable[[SignalName], None], second: Callable[[], None]
) -> Iterator[None]:
    """For a process that executes several runs: signals are not for one of them."""
    yield


@dataclass(frozen=True, slots=True)
class RunHost:
    """What the process that executes a run provides."""

    environment: Environment
    slots: asyncio.Semaphore
    readers: Sequence[EventReader] = ()
    # Reads the events of earlier processes without drawing them.
    replay: EventReader | None = None
    ask: Ask | None = None
    # Without a terminal, questions go to `treadle approvals`.
    asks_by_approval: bool = False
    # For workflows that hand it to the agent; None: there is none.
    terminal: Terminal | None = None
    rehearsing: Rehearsing | None = None
    signals: Signals = ignore_signals


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """A request that was checked before the run exists."""

    request: RunRequest
    host: RunHost
    settings: Settings
    project: Project
    identity: CommitIdentity
    spec_text: str = field(repr=False)
    reach: SandboxReach
    # The package indexes of the user's tools; None: they are closed.
    indexes: SandboxIndexes | None = None
    package_logins: PackageLogins = field(default_factory=PackageLogins)
    previous: PreviousRuns | None = None
    included: IncludedFiles = field(default_factory=IncludedFiles)
    # Files of the project that run on the host: what the user's git runs or reads as settings, and
    # the agent's program.
    host_files: tuple[str, ...] = ()

    @property
    def open_indexes(self) -> SandboxIndexes | None:
        """The indexes that sessions, checks and tests reach."""
        return self.indexes if self.settings.sandbox.indexes == "open" else None

    @property
    def workflow(self) -> Workflow:
        return find_workflow(self.request.workflow)

    @property
    def agent_kind(self) -> AgentKind[Any]:
        return find_kind(self.settings.agent.kind)

    @property
    def environment(self) -> Environment:
        return self.host.environment

    @property
    def unconfined(self) -> bool:
        """Only the person who starts the run can set this, never a file of a repository."""
        return self.request.no_sandbox or self.environment.no_sandbox

    @property
    def confinement(self) -> SandboxMode:
        """The value for the run's log."""
        return "unsandboxed" if self.unconfined else "sandboxed"

    @property
    def directory(self) -> Path:
        """The directory of the run's clone, its agent's home and its lock."""
        return run_directory(self.environment.root, self.request.run)

    @property
    def private_home(self) -> Path:
        """The home of the run's agent: it has its transcripts, and nothing of the user."""
        return self.directory / PRIVATE_HOME

    @property
    def spec(self) -> str:
        """The path of the specification in the project, which the agent must be able to read;
        empty if the inputs are the specification."""
        project = self.settings.project
        match self.workflow.specification:
            case "file":
                return project.spec
            case "inputs_with_folder":
                return project.specs
            case "inputs":
                return ""

    @property
    def spec_hash(self) -> str:
        return hashlib.sha256(self.spec_text.encode()).hexdigest()
