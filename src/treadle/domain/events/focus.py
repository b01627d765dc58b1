"""Events of a `focus` run besides its sessions: phases, plans, checks, reviews, issues."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.review import DroppedFinding, ReviewFinding, Verdict
from treadle.domain.signal import Role
from treadle.domain.task_plan import TaskPlan

Phase = Literal["planning", "implementing", "reviewing"]


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """A phase of a round starts: its first session is about to work."""

    number: int
    phase: Phase
    type: Literal["phase.started"] = "phase.started"


@dataclass(frozen=True, slots=True)
class PlanWritten:
    """The planner submitted its plan; it counts once the planner signals `plan_complete`."""

    text: str
    # The same plan in its parts, if it is that of a task.
    plan: TaskPlan | None = None
    type: Literal["plan.written"] = "plan.written"


@dataclass(frozen=True, slots=True)
class CommandFinished:
    """Treadle ran the project's check command on a commit; `output` is the end of its output."""

    command: str
    # None: it timed out.
    exit_code: int | None
    duration_s: float
    output: str
    commit: str
    type: Literal["command.finished"] = "command.finished"


@dataclass(frozen=True, slots=True)
class ReviewWritten:
    """The reviewer submitted its findings; none counts before it is judged."""

    findings: tuple[ReviewFinding, ...]
    summary: str = ""
    # Earlier findings that it calls fixed, by the numbers in its prompt.
    settled: tuple[int, ...] = ()
    type: Literal["review.written"] = "review.written"


@dataclass(frozen=True, slots=True)
class ReviewJudged:
    """The verdict of a review once its findings were checked, and the commit it is about."""

    number: int
    verdict: Verdict
    commit: str
    reason: str
    findings: tuple[ReviewFinding, ...] = ()
    dropped: tuple[DroppedFinding, ...] = ()
    # Earlier findings that the reviewer called fixed.
    settled: tuple[ReviewFinding, ...] = ()
    type: Literal["review.judged"] = "review.judged"


@dataclass(frozen=True, slots=True)
class IssueSaved:
    """An agent found the specifications unclear or contradictory; a person must decide."""

    path: str
    role: Role
    text: str
    type: Literal["issue.saved"] = "issue.saved"


@dataclass(frozen=True, slots=True)
class BacklogSaved:
    """Findings that the run leaves for later, one file each."""

    paths: tuple[str, ...]
    type: Literal["backlog.saved"] = "backlog.saved"


@dataclass(frozen=True, slots=True)
class CommitFailed:
    """A session's changes could not be committed; they stay in the workspace, and the run
    continues."""

    message: str
    type: Literal["commit.failed"] = "commit.failed"
