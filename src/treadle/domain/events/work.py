"""Events of the work itself: deliverables, workspace, commits, import and landing."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.check import Grade
from treadle.domain.deliverable import Deliverable, DeliverableStatus
from treadle.domain.ids import RunId


@dataclass(frozen=True, slots=True)
class DeliverableCreated:
    """A deliverable was created."""

    deliverable: Deliverable
    type: Literal["deliverable.created"] = "deliverable.created"


@dataclass(frozen=True, slots=True)
class DeliverableChanged:
    """The status of a deliverable changed; only checks that Treadle ran prove a pass."""

    id: str
    description: str
    previous: DeliverableStatus
    status: DeliverableStatus
    proof: Grade | None = None
    # For a pass that was verified after its round: the verified commit.
    commit: str = ""
    type: Literal["deliverable.changed"] = "deliverable.changed"


@dataclass(frozen=True, slots=True)
class StatusAdopted:
    """The run adopts deliverables of an earlier run, or edits by a person; or a person has
    accepted or rejected a plan."""

    deliverables: tuple[Deliverable, ...]
    origin: Literal["earlier_run", "hand_edit", "plan_accepted", "plan_rejected"]
    type: Literal["status.adopted"] = "status.adopted"


@dataclass(frozen=True, slots=True)
class PlanMade:
    """The deliverables are planned for this text of the specification (its SHA-256)."""

    spec: str
    type: Literal["plan.made"] = "plan.made"


@dataclass(frozen=True, slots=True)
class WorkContinued:
    """The run starts from the work of an earlier run that is on its branch and not landed."""

    run: RunId
    branch: str
    commit: str
    type: Literal["work.continued"] = "work.continued"


@dataclass(frozen=True, slots=True)
class SetupFinished:
    """The project's setup command ran in the workspace, or on a clean checkout before a
    verification; `output` is the end of its output, and `cause` the lines that name why it
    failed."""

    command: str
    exit_code: int
    duration_s: float
    output: str
    # The hosts that it could reach: package indexes of the user's tools, and `sandbox.hosts`.
    hosts: tuple[str, ...] = ()
    cause: tuple[str, ...] = ()
    # Only on a clean checkout: its commit, and its tree, which differs from that of the commit if
    # judging files are pinned.
    commit: str = ""
    tree: str = ""
    # Hosts and ports that it asked for.
    reached: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    type: Literal["setup.finished"] = "setup.finished"


@dataclass(frozen=True, slots=True)
class WorkspacePrepared:
    """The run has its own clone, on its own branch, from a snapshot of the user's checkout."""

    path: str
    branch: str
    # The user's commit and branch; either may not exist yet.
    head: str | None
    checkout: str | None
    # The commit the run starts from: `head`, or a commit on top with the uncommitted changes.
    snapshot: str
    type: Literal["workspace.prepared"] = "workspace.prepared"


@dataclass(frozen=True, slots=True)
class WorkCommitted:
    """The uncommitted changes at the end of a round were committed."""

    commit: str
    message: str
    type: Literal["work.committed"] = "work.committed"


@dataclass(frozen=True, slots=True)
class WorkImported:
    """The run's commits are in the user's repository, on the run's branch."""

    branch: str
    commit: str
    commits: int
    # If the commit joins the work with the checkout of a later moment: the work alone, and the
    # checkout's HEAD then.
    work: str = ""
    onto: str | None = None
    type: Literal["work.imported"] = "work.imported"


@dataclass(frozen=True, slots=True)
class WorkChanged:
    """How the work differs from the checkout that the run started from, in numbers."""

    # The last commit of the work.
    commit: str
    files_before: int
    added: int = 0
    # A moved file counts as changed, an emptied one as deleted.
    changed: int = 0
    deleted: int = 0
    # The first of them.
    deleted_files: tuple[str, ...] = ()
    # Only if the work takes away many lines.
    lines_before: int | None = None
    lines_added: int = 0
    lines_deleted: int = 0
    type: Literal["work.changed"] = "work.changed"


PROTECTED_PATH = "a protected path"
SECRET_FILE = "a file of secrets"  # noqa: S105  a kind of file, no password
INCLUDED_FILE = "an included file"
IGNORED_FILE = "an ignored file"


@dataclass(frozen=True, slots=True)
class WithheldPath:
    """The location of a credential, never its value; without a path it is in a commit message.

    Or, by its kind, a path that an agent may not change, a new file that is named like one of
    secrets or that git ignores, or a file of `workspace.include`.
    """

    path: str
    line: int  # 0 for the name of the file
    kind: str

    @property
    def is_protected(self) -> bool:
        return self.kind == PROTECTED_PATH

    @property
    def is_by_path(self) -> bool:
        """Whether the path is left out of every round, whatever it holds."""
        return self.kind in (PROTECTED_PATH, SECRET_FILE, INCLUDED_FILE, IGNORED_FILE)


@dataclass(frozen=True, slots=True)
class WorkWithheld:
    """Files that seem to hold a credential, and paths that no run commits, were left out of the
    round's commit.

    They stay in the workspace, and the next prompt says what to do about them.
    """

    places: tuple[WithheldPath, ...]
    # Those that `places` leaves out, of very many.
    more: int = 0
    type: Literal["work.withheld"] = "work.withheld"


# What becomes of a file that tools obey by themselves: it is left out of the work, a person is
# asked before it lands, or it is named first.
ToolFileEffect = Literal["withheld", "ask", "named"]


@dataclass(frozen=True, slots=True)
class ToolFile:
    """A changed file that tools obey by themselves; `why` says what they do with it."""

    path: str
    change: Literal["added", "changed", "removed"]
    effect: ToolFileEffect
    why: str


@dataclass(frozen=True, slots=True)
class ToolFilesTouched:
    """The work changed files that tools on the user's machine obey by themselves."""

    files: tuple[ToolFile, ...]
    type: Literal["toolfiles.touched"] = "toolfiles.touched"


@dataclass(frozen=True, slots=True)
class WorkLanded:
    """The user's checkout has the work: as commits by fast-forward, or as uncommitted files."""

    branch: str
    commit: str
    form: Literal["commits", "files"] = "commits"
    type: Literal["work.landed"] = "work.landed"


@dataclass(frozen=True, slots=True)
class WorkKept:
    """The work stays on its branch; `reason` says why, and `command` lands it."""

    branch: str
    reason: str
    command: str
    # Whether it would have landed in an unchanged checkout.
    by_checkout: bool = False
    type: Literal["work.kept"] = "work.kept"


@dataclass(frozen=True, slots=True)
class CommitsKept:
    """Commits that the session made, and that are no part of the work, are kept by refs in a
    repository of the run: the session reset, amended, deleted or stashed them."""

    # Its path; it is not the user's repository, because nothing was judged.
    store: str
    refs: tuple[str, ...]
    # New commits that the refs contain.
    commits: int
    type: Literal["commits.kept"] = "commits.kept"


@dataclass(frozen=True, slots=True)
class DroppedBranch:
    """A branch that was deleted, its last commit, and the ref in the user's repository that keeps
    it."""

    branch: str
    commit: str
    ref: str


@dataclass(frozen=True, slots=True)
class WorkDropped:
    """A person gave up the work of the run: its branches and its workspace are removed, and what
    they had is backed up."""

    branches: tuple[DroppedBranch, ...]
    # A repository of the run with what was never imported, and the refs there.
    store: str = ""
    refs: tuple[str, ...] = ()
    # The one of `refs` that the run's clone was on; empty if all of that was imported.
    work: str = ""
    type: Literal["work.dropped"] = "work.dropped"


@dataclass(frozen=True, slots=True)
class WorkRestored:
    """Dropped work is back: branches, and refs of commits that sessions had dropped or that were
    never imported."""

    branches: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    type: Literal["work.restored"] = "work.restored"


@dataclass(frozen=True, slots=True)
class LandingUndone:
    """The user's checkout is as before the landing; the work stays on its branch."""

    branch: str
    # The work that had landed, and the commit of the checkout now.
    commit: str
    head: str
    type: Literal["landing.undone"] = "landing.undone"
