"""Events of the work itself: deliverables, workspace, commits, import and landing."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.deliverable import Deliverable, DeliverableStatus
from treadle.domain.ids import RunId


@dataclass(frozen=True, slots=True)
class DeliverableCreated:
    """A unit of done was written down."""

    deliverable: Deliverable
    type: Literal["deliverable.created"] = "deliverable.created"


@dataclass(frozen=True, slots=True)
class DeliverableChanged:
    """A deliverable got another status; a pass is proven only by checks that Treadle ran."""

    id: str
    description: str
    previous: DeliverableStatus
    status: DeliverableStatus
    proof: Literal["claimed", "proven"] | None = None
    # Of a pass that was shown after its round: the commit that it was shown on.
    commit: str = ""
    type: Literal["deliverable.changed"] = "deliverable.changed"


@dataclass(frozen=True, slots=True)
class StatusAdopted:
    """The run goes on from deliverables that an earlier run or a person's edit left."""

    deliverables: tuple[Deliverable, ...]
    origin: Literal["earlier_run", "hand_edit"]
    type: Literal["status.adopted"] = "status.adopted"


@dataclass(frozen=True, slots=True)
class PlanMade:
    """The deliverables stand for this text of the specification (its SHA-256)."""

    spec: str
    type: Literal["plan.made"] = "plan.made"


@dataclass(frozen=True, slots=True)
class WorkContinued:
    """The run starts from what an earlier run left on its branch and nobody has landed."""

    run: RunId
    branch: str
    commit: str
    type: Literal["work.continued"] = "work.continued"


@dataclass(frozen=True, slots=True)
class SetupFinished:
    """The project's setup command has run in the workspace; `output` is the end of what it said."""

    command: str
    exit_code: int
    duration_s: float
    output: str
    # Where it could get packages from: what the user's own tools are configured for.
    hosts: tuple[str, ...] = ()
    type: Literal["setup.finished"] = "setup.finished"


@dataclass(frozen=True, slots=True)
class WorkspacePrepared:
    """The run has its own clone, on its own branch, from a snapshot of what the user saw."""

    path: str
    branch: str
    # What the user had checked out: commit and branch, either of which may not exist yet.
    head: str | None
    checkout: str | None
    # The commit the run starts from: `head`, or one on top of it with the uncommitted changes.
    snapshot: str
    type: Literal["workspace.prepared"] = "workspace.prepared"


@dataclass(frozen=True, slots=True)
class WorkCommitted:
    """What the agent had left uncommitted at the end of a round was committed."""

    commit: str
    message: str
    type: Literal["work.committed"] = "work.committed"


@dataclass(frozen=True, slots=True)
class WorkImported:
    """The run's commits are in the user's repository, on the run's branch."""

    branch: str
    commit: str
    commits: int
    type: Literal["work.imported"] = "work.imported"


PROTECTED_PATH = "a protected path"


@dataclass(frozen=True, slots=True)
class WithheldPath:
    """Where a credential stands: never what it is. Without a path it is in a commit's message.

    Or, by its kind, a path that an agent may not change, whatever is in it.
    """

    path: str
    line: int  # 0 for the name of the file
    kind: str

    @property
    def is_protected(self) -> bool:
        return self.kind == PROTECTED_PATH


@dataclass(frozen=True, slots=True)
class WorkWithheld:
    """Files with what looks like a credential, and changes of protected paths, were left out of the
    round's commit.

    They stay in the workspace, and the next session is told what to do about it.
    """

    places: tuple[WithheldPath, ...]
    type: Literal["work.withheld"] = "work.withheld"


@dataclass(frozen=True, slots=True)
class WorkLanded:
    """The user's checkout has the work: as commits by fast-forward, or as uncommitted files."""

    branch: str
    commit: str
    form: Literal["commits", "files"] = "commits"
    type: Literal["work.landed"] = "work.landed"


@dataclass(frozen=True, slots=True)
class WorkKept:
    """The work waits on its branch: why, and the one command that merges it."""

    branch: str
    reason: str
    command: str
    type: Literal["work.kept"] = "work.kept"
