"""What a run was asked for, and everything that is checked before it exists."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from treadle.adapters.stores.recorder import EventReader
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.agent import CommitIdentity
from treadle.domain.errors import UsageError
from treadle.domain.events.run import SandboxMode
from treadle.domain.ids import RunId
from treadle.domain.run import RunResult, Workflow
from treadle.runs.find import STATUS_FILE
from treadle.runs.interrupts import Name, unheeded
from treadle.runs.previous_runs import PreviousRuns
from treadle.runs.trust import load_trusted
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.settings.environment_values import read_variables
from treadle.settings.keys import known_keys
from treadle.wiring.agent import Rehearsing
from treadle.wiring.sandbox import SandboxReach, find_sandbox_reach
from treadle.wiring.validate_settings import require_valid, require_way_to_model
from treadle.workflows.loop.landing import Ask
from treadle.workspace.project import Project, find_project, read_identity

Signals = Callable[[Callable[[Name], None], Callable[[], None]], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What was asked for, as it is kept with the run: whoever goes on with it reads this."""

    run: RunId
    project_dir: str
    flags: Mapping[str, Any]
    no_sandbox: bool
    rehearsal: bool
    # Said by the person who starts the run, as `no_sandbox` is: no file can say it.
    allow_destructive: bool = False
    # A leg is what lies between two ends of the run; the later ones know how the last one ended.
    leg: int = 1
    so_far: RunResult | None = None
    # Settings by environment variable: whoever goes on with the run may have another environment.
    variables: Mapping[str, Any] = field(default_factory=dict)
    workflow: Workflow = "deliver"
    # For `focus`: what to work on, and a person's review that the first plan has to satisfy.
    words: str = ""
    review: str = ""


@dataclass(frozen=True, slots=True)
class RunHost:
    """What the process that works on a run brings along."""

    environment: Environment
    slots: asyncio.Semaphore
    readers: Sequence[EventReader] = ()
    # Takes in, without showing it, what the log had before this process came to it.
    recall: EventReader | None = None
    ask: Ask | None = None
    # Where nobody sits at a terminal, questions are put where every terminal finds them.
    asks_by_approval: bool = False
    rehearsing: Rehearsing | None = None
    signals: Signals = unheeded


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """Everything checked that can be checked before the run exists."""

    request: RunRequest
    host: RunHost
    settings: Settings
    project: Project
    identity: CommitIdentity
    spec_text: str = field(repr=False)
    reach: SandboxReach
    previous: PreviousRuns | None = None

    @property
    def environment(self) -> Environment:
        return self.host.environment

    @property
    def unconfined(self) -> bool:
        """Said by the person who starts the run: a file that came with a repository cannot."""
        return self.request.no_sandbox or self.environment.no_sandbox

    @property
    def confinement(self) -> SandboxMode:
        """As the run's log says it."""
        return "unsandboxed" if self.unconfined else "sandboxed"

    @property
    def directory(self) -> Path:
        """Where the run keeps its clone, its agent's home and its lock."""
        return run_directory(self.environment.root, self.request.run)

    @property
    def spec(self) -> str:
        """What the work is held against, from the project's top; the agent must see it."""
        project = self.settings.project
        return project.specs if self.request.workflow == "focus" else project.spec

    @property
    def spec_hash(self) -> str:
        return hashlib.sha256(self.spec_text.encode()).hexdigest()


def with_variables(request: RunRequest, environment: Environment) -> RunRequest:
    """The request with what the asker's environment says: over what an earlier one said."""
    said = {
        name: list(valued.value) if isinstance(valued.value, tuple) else valued.value
        for name, valued in read_variables(environment.raw).items()
        if not _stays_here(name)
    }
    return replace(
        request,
        variables={**request.variables, **said},
        no_sandbox=request.no_sandbox or environment.no_sandbox,
    )


def _stays_here(name: str) -> bool:
    """What may hold a secret is not kept with a run: each process has it from its own place."""
    key = known_keys()[name]
    return key.kind == "tables" or key.rule == "address"


async def check_request(request: RunRequest, presence: RunHost) -> CheckedRequest:
    """Everything that can be wrong before the run exists; a mistake of the user is raised."""
    environment = presence.environment
    project = await find_project(Path(request.project_dir), environment.raw)
    said = {name: value for name, value in request.flags.items() if value is not None}
    flags = {**request.variables, **said}
    settings = load_trusted(project.root, environment, flags).settings
    if request.workflow == "focus":
        settings = _with_specs_protected(settings, project)
    if request.workflow == "sync":
        _require_deliverables(project)
    text = request.words or _specification(settings, project)
    require_valid(settings, environment, project.root)
    if not (request.no_sandbox or environment.no_sandbox):
        require_way_to_model(settings, environment, rehearsal=request.rehearsal)
    who, reach = await asyncio.gather(
        read_identity(project),
        find_sandbox_reach(settings.sandbox, settings.policy.profiles, environment, project.root),
    )
    return CheckedRequest(request, presence, settings, project, who, text, reach)


def _require_deliverables(project: Project) -> None:
    if not (project.root / STATUS_FILE).is_file():
        raise UsageError(
            f"there are no deliverables in {project.root} to judge",
            hint="`treadle deliver` writes them down first",
        )


def _specification(settings: Settings, project: Project) -> str:
    spec = project.root / settings.project.spec
    if not spec.is_file():
        raise UsageError(
            f"no {settings.project.spec} in {project.root}",
            hint="write down what you want built, or name the file with project.spec",
        )
    try:
        return spec.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {spec}: {error}") from error


def _with_specs_protected(settings: Settings, project: Project) -> Settings:
    """What the work is held against is not the agent's to change, nor part of any commit."""
    specs = settings.project.specs
    if not (project.root / specs).exists():
        raise UsageError(
            f"there is no folder {specs.rstrip('/')}/ in {project.root}",
            hint="put your specifications there, or name the folder with project.specs",
        )
    verify = settings.verify
    return replace(settings, verify=replace(verify, protect=(*verify.protect, specs)))
