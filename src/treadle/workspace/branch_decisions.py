"""Decides how to commit an agent's changes, and where the run's branch points. Pure."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from treadle.workspace.disk_tree import ChangedPaths
from treadle.workspace.git_status import BranchTip, CloneStatus

# Of one commit of a round: each is read, written and looked through.
MOST_FILES = 50_000


@dataclass(frozen=True, slots=True)
class CloneState:
    """A clone as the first git commands report it; None where git failed."""

    on_branch: bool
    unfinished: bool  # a merge, a rebase or another operation
    tip: BranchTip | None
    status: CloneStatus | None


@dataclass(frozen=True, slots=True)
class CleanClone:
    """All work is on the run's branch."""

    tip: BranchTip
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UncommittedChanges:
    """One commit on top of the tip brings all work onto the branch."""

    tip: BranchTip
    changed: ChangedPaths
    staged: bool = False  # the index has changes, which need not exist as files
    later: int = 0  # files that are left for the next round


@dataclass(frozen=True, slots=True)
class UnusualState:
    """The clone needs a full salvage."""


CloneCondition: TypeAlias = CleanClone | UncommittedChanges | UnusualState


def classify_clone(state: CloneState) -> CloneCondition:
    """Classify a clone; anything unusual requires a salvage."""
    if not state.on_branch or state.unfinished or state.tip is None:
        return UnusualState()
    if state.status is None or state.status.unmerged:
        return UnusualState()
    changed = state.status.changed
    if state.status.staged or changed.removed or changed.present:
        # Git lists changes of tracked files first, so that new ones wait for the next round.
        later = len(changed.present) - MOST_FILES
        changed = replace(changed, present=changed.present[:MOST_FILES])
        staged = state.status.staged
        return UncommittedChanges(state.tip, changed, staged=staged, later=max(0, later))
    return CleanClone(state.tip, changed.left_out)


@dataclass(frozen=True, slots=True)
class AncestryFacts:
    """How the commit left in the clone (`left`) and the branch's tip are related."""

    tip_in_left: bool
    left_in_tip: bool
    rebasing: bool = False


@dataclass(frozen=True, slots=True)
class AdvanceBranch:
    """The branch moves to the left commit, which contains its tip."""


@dataclass(frozen=True, slots=True)
class KeepTip:
    """The branch contains the left commit: the agent had checked out an older one."""


@dataclass(frozen=True, slots=True)
class MergeBoth:
    """Both sides have their own work: merge them if there is no conflict."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """The branch stays as it is; the left commit is kept on a separate ref."""


Placement: TypeAlias = AdvanceBranch | KeepTip | MergeBoth | SetAside


def decide_placement(facts: AncestryFacts) -> Placement:
    """First match wins."""
    if facts.tip_in_left:
        return AdvanceBranch()
    if facts.left_in_tip:
        return KeepTip()
    # An unfinished rebase repeats commits of its branch; a merge would conflict.
    return SetAside() if facts.rebasing else MergeBoth()
