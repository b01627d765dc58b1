"""Which old runs may be deleted: only those whose work is elsewhere, or unwanted. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, assert_never

from treadle.domain.lifecycle import OVER
from treadle.domain.run_row import RunRow

# The run's branch in the user's repository: part of another branch; on a remote; in another branch
# as other commits with the same content; deleted by the user, and its work not found elsewhere;
# never created; merged nowhere; or the repository could not be read.
BranchFact = Literal["merged", "pushed", "squashed", "gone", "none", "unmerged", "unknown"]
# The run's clone: missing; all imported; with files or commits that are not; or unreadable.
CloneFact = Literal["none", "imported", "holds work", "unknown"]


@dataclass(frozen=True, slots=True)
class WorkFacts:
    """Where a run's work is now, according to git."""

    branch: BranchFact
    clone: CloneFact
    # When what `treadle undo` restores was set aside; None if nothing was.
    backed_up_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """Runs that ended before one time are old; what was backed up before the other one expires."""

    ended: datetime
    backed_up: datetime


@dataclass(frozen=True, slots=True)
class DropRun:
    """The log and the files of the run may be deleted; `expired` says that its backups may, too."""

    reason: str
    expired: bool = False


@dataclass(frozen=True, slots=True)
class KeepRun:
    """The log and the files of the run are kept."""

    reason: str


@dataclass(frozen=True, slots=True)
class DropWork:
    """The work is backed up, and its branch and workspace are removed, because a person forces
    it."""

    reason: str


_ELSEWHERE = {
    "merged": "its work is in another branch",
    "pushed": "its work was pushed",
    "squashed": "another branch has its changes",
    "none": "it made no commits",
}


RetentionDecision: TypeAlias = DropRun | KeepRun | DropWork


def decide_retention(row: RunRow, facts: WorkFacts, limits: RetentionLimits) -> DropRun | KeepRun:
    """The first match wins; any doubt keeps the run."""
    if too_young := _too_young(row, limits):
        return too_young
    if facts.clone == "holds work":
        return KeepRun("its clone holds work that is nowhere else")
    if facts.clone == "unknown":
        return KeepRun("its clone cannot be read")
    if facts.backed_up_at is not None:
        if facts.backed_up_at >= limits.backed_up:
            return KeepRun("`treadle undo` can still restore what was removed")
        return DropRun("its backup has expired", expired=True)
    return _by_branch(row, facts.branch)


def decide_forced(row: RunRow, facts: WorkFacts, limits: RetentionLimits) -> RetentionDecision:
    """With --force, work that would keep an old run is dropped, if it can be backed up."""
    decision = decide_retention(row, facts, limits)
    if isinstance(decision, DropRun) or _too_young(row, limits):
        return decision
    if "unknown" in (facts.branch, facts.clone):
        return decision
    # What is backed up already has its own time; only a clone may have got new work since.
    is_backed_up = facts.backed_up_at is not None and facts.clone != "holds work"
    return decision if is_backed_up else DropWork(decision.reason)


def _too_young(row: RunRow, limits: RetentionLimits) -> KeepRun | None:
    if row.state not in OVER:
        return KeepRun("it has not ended")
    if datetime.fromisoformat(row.ended_at) >= limits.ended:
        return KeepRun("it ended too recently")
    return None


def _by_branch(row: RunRow, branch: BranchFact) -> DropRun | KeepRun:
    if branch in ("gone", "unmerged") and row.landed:
        return DropRun("its work has landed")
    match branch:
        case "merged" | "pushed" | "squashed" | "none":
            return DropRun(_ELSEWHERE[branch])
        case "gone":
            return KeepRun(f"{row.branch} was deleted, and its work is not found elsewhere")
        case "unmerged":
            return KeepRun(f"{row.branch} is not merged")
        case "unknown":
            return KeepRun("its project cannot be read")
        case _:
            assert_never(branch)
