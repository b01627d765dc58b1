"""Which old runs may be deleted: only those whose work is elsewhere, or unwanted. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, assert_never

from treadle.domain.lifecycle import OVER
from treadle.domain.run_row import RunRow

# The run's branch in the user's repository: merged into another branch; deleted by the user; never
# created; merged nowhere; or the repository could not be read.
BranchFact = Literal["merged", "gone", "none", "unmerged", "unknown"]
# The run's clone: missing; all imported; with files or commits that are not; or unreadable.
CloneFact = Literal["none", "imported", "holds work", "unknown"]


@dataclass(frozen=True, slots=True)
class WorkFacts:
    """Where a run's work is now, according to git."""

    branch: BranchFact
    clone: CloneFact


@dataclass(frozen=True, slots=True)
class DropRun:
    """The log and the files of the run may be deleted."""

    reason: str


@dataclass(frozen=True, slots=True)
class KeepRun:
    """The log and the files of the run are kept."""

    reason: str


RetentionDecision: TypeAlias = DropRun | KeepRun


def decide_retention(row: RunRow, facts: WorkFacts, *, before: datetime) -> RetentionDecision:
    """The first match wins; any doubt keeps the run."""
    if row.state not in OVER:
        return KeepRun("it has not ended")
    if datetime.fromisoformat(row.ended_at) >= before:
        return KeepRun("it ended too short a time ago")
    if facts.clone == "holds work":
        return KeepRun("its clone holds work that is nowhere else")
    if facts.clone == "unknown":
        return KeepRun("its clone cannot be looked into")
    return _by_branch(row, facts.branch)


def _by_branch(row: RunRow, branch: BranchFact) -> RetentionDecision:
    match branch:
        case "merged":
            return DropRun("its work is in another branch")
        case "gone":
            return DropRun("its branch was deleted")
        case "none":
            return DropRun("it brought no work")
        case "unmerged":
            if row.landed:
                return DropRun("its work has landed")
            return KeepRun(f"{row.branch} is not merged")
        case "unknown":
            return KeepRun("its project cannot be asked")
        case _:
            assert_never(branch)
