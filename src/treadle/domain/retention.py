"""Which runs may be cleaned away: only those whose work is proven to be elsewhere, or unwanted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, assert_never

from treadle.domain.lifecycle import OVER
from treadle.domain.run_row import RunRow

# The run's branch in the user's repository: the work is on another branch, too; the user deleted
# it; there never was one; the work is on no other branch; the repository could not be asked.
BranchFact = Literal["merged", "gone", "none", "unmerged", "unknown"]
# The run's own clone: not there; all of it came home; files or commits that did not; or unreadable.
CloneFact = Literal["none", "home", "holds work", "unknown"]


@dataclass(frozen=True, slots=True)
class WorkFacts:
    """Where a run's work is, as git says today."""

    branch: BranchFact
    clone: CloneFact


@dataclass(frozen=True, slots=True)
class Drop:
    """The log and the files of the run can go, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Keep:
    """They stay, and why."""

    reason: str


Disposal: TypeAlias = Drop | Keep


def disposable(row: RunRow, facts: WorkFacts, *, before: datetime) -> Disposal:
    """First match wins; whatever is not proven keeps the run."""
    if row.state not in OVER:
        return Keep("it has not ended")
    if datetime.fromisoformat(row.ended_at) >= before:
        return Keep("it ended too short a time ago")
    if facts.clone == "holds work":
        return Keep("its clone holds work that is nowhere else")
    if facts.clone == "unknown":
        return Keep("its clone cannot be looked into")
    return _by_branch(row, facts.branch)


def _by_branch(row: RunRow, branch: BranchFact) -> Disposal:
    match branch:
        case "merged":
            return Drop("its work is in another branch")
        case "gone":
            return Drop("its branch was deleted")
        case "none":
            return Drop("it brought no work")
        case "unmerged":
            if row.landed:
                return Drop("its work has landed")
            return Keep(f"{row.branch} is not merged")
        case "unknown":
            return Keep("its project cannot be asked")
        case _:
            assert_never(branch)
