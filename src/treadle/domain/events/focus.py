"""Events of a `focus` run besides its sessions: phases, plans, checks, reviews, issues."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.review import DroppedFinding, ReviewFinding, Verdict
from treadle.domain.signal import Role

Phase = Literal["planning", "implementing", "reviewing"]


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """A phase of a round begins: its first session is about to work."""

    number: int
    phase: Phase
    type: Literal["phase.started"] = "phase.started"


@dataclass(frozen=True, slots=True)
class PlanWritten:
    """The planner handed its plan over; it counts once planning is said to be complete."""

    text: str
    type: Literal["plan.written"] = "plan.written"


@dataclass(frozen=True, slots=True)
class CommandFinished:
    """Treadle ran the project's check command on a commit; `output` is the end of what it said."""

    command: str
    # None: its time was over first.
    exit_code: int | None
    duration_s: float
    output: str
    commit: str
    type: Literal["command.finished"] = "command.finished"


@dataclass(frozen=True, slots=True)
class ReviewWritten:
    """The reviewer handed its findings over; none of them counts before it is judged."""

    findings: tuple[ReviewFinding, ...]
    summary: str = ""
    # Earlier findings that it calls mended, by the numbers that it was shown.
    settled: tuple[int, ...] = ()
    type: Literal["review.written"] = "review.written"


@dataclass(frozen=True, slots=True)
class ReviewJudged:
    """What a review comes to once its findings were looked into, and the commit it is about."""

    number: int
    verdict: Verdict
    commit: str
    reason: str
    findings: tuple[ReviewFinding, ...] = ()
    dropped: tuple[DroppedFinding, ...] = ()
    # Earlier findings that the reviewer called mended.
    settled: tuple[ReviewFinding, ...] = ()
    type: Literal["review.judged"] = "review.judged"


@dataclass(frozen=True, slots=True)
class IssueSaved:
    """An agent found the specifications unclear or contradictory; a person must settle it."""

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
    """What a session left could not be committed: it stays in the workspace, the run goes on."""

    message: str
    type: Literal["commit.failed"] = "commit.failed"
