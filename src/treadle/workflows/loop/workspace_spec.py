"""What a run's workspace is made from, and what an import returns. Types only."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from treadle.domain.agent import CommitIdentity
from treadle.domain.ids import RunId
from treadle.domain.ports import Log
from treadle.domain.run import CommitStrategy
from treadle.policy.secret_search import SecretSearch
from treadle.policy.tool_files import ToolFileSettings
from treadle.workflows.definition import WorkPlace
from treadle.workflows.loop.landing import LandingForm, LandingMethod
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class WorkspaceSpec:
    """The run, project and settings of a workspace."""

    project: Project
    run: RunId
    identity: CommitIdentity
    directory: Path
    # Lines that are taken out of commit messages, because they credit the agent.
    credit_patterns: tuple[str, ...]
    form: LandingForm
    log: Log
    # Paths that a person may change during the run; they do not keep its work from landing.
    free: tuple[str, ...] = ()
    # Commits that earlier runs landed: they count as part of the checkout, even if rewritten.
    landed: tuple[str, ...] = ()
    unlanded: "UnlandedWork | None" = None
    place: WorkPlace = "checkout"
    commit_strategy: CommitStrategy = "incremental"
    # Content and paths that must not be imported; `clean` removes secrets from a text.
    search: SecretSearch = field(default_factory=lambda: SecretSearch(()))
    protected: tuple[str, ...] = ()
    included: tuple[str, ...] = ()
    tool_files: ToolFileSettings = field(default_factory=ToolFileSettings)
    # Commands of the user's settings that Treadle runs at each tool use.
    hooks: tuple[str, ...] = ()
    clean: Callable[[str], str] = lambda text: text

    @property
    def method(self) -> LandingMethod:
        return LandingMethod(self.form, self.free)


@dataclass(frozen=True, slots=True)
class UnlandedWork:
    """Work of an earlier run on its branch, based on the user's current checkout."""

    run: RunId
    branch: str
    commit: str
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class ImportedTip:
    """The last commit of the work; `lost` says why it is not all of the round's work."""

    tip: str
    lost: str = ""


@dataclass(frozen=True, slots=True)
class PreviousRuns:
    """What earlier runs of the project left. `landed` are commits whose work is in the checkout;
    `planned` is the hash of the specification that the deliverables were last written for, empty
    if unknown."""

    unlanded: UnlandedWork | None = None
    landed: tuple[str, ...] = ()
    planned: str = ""
