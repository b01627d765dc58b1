"""Decides how to commit what an agent left, and where the run's branch goes. Pure."""

from dataclasses import dataclass
from typing import TypeAlias

from treadle.workspace.disk_tree import ChangedPaths
from treadle.workspace.git_status import BranchTip, CloneStatus


@dataclass(frozen=True, slots=True)
class CloneState:
    """A clone at first sight; what git could not tell is None."""

    on_branch: bool
    unfinished: bool  # a merge, a rebase and the like
    tip: BranchTip | None
    status: CloneStatus | None


@dataclass(frozen=True, slots=True)
class CleanClone:
    """All work is on the run's branch."""

    tip: BranchTip
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UncommittedChanges:
    """One commit on top of the tip makes it so."""

    tip: BranchTip
    changed: ChangedPaths
    staged: bool = False  # the agent put something in the index, which may be no file


@dataclass(frozen=True, slots=True)
class UnusualState:
    """It takes a closer look."""


CloneCondition: TypeAlias = CleanClone | UncommittedChanges | UnusualState


def classify_clone(seen: CloneState) -> CloneCondition:
    """Only a clone in which nothing at all is odd is spared the closer look."""
    if not seen.on_branch or seen.unfinished or seen.tip is None:
        return UnusualState()
    if seen.status is None or seen.status.unmerged:
        return UnusualState()
    changed = seen.status.changed
    if seen.status.staged or changed.gone or changed.present:
        return UncommittedChanges(seen.tip, changed, staged=seen.status.staged)
    return CleanClone(seen.tip, changed.left_out)


@dataclass(frozen=True, slots=True)
class AncestryFacts:
    """How what lies in the clone (`left`) and the run's branch (its tip) belong together."""

    tip_in_left: bool
    left_in_tip: bool
    rebasing: bool = False


@dataclass(frozen=True, slots=True)
class AdvanceBranch:
    """The branch moves to what was left: nothing on it is dropped."""


@dataclass(frozen=True, slots=True)
class KeepTip:
    """The branch has it all; the agent was looking at an older commit."""


@dataclass(frozen=True, slots=True)
class MergeBoth:
    """Both sides have work of their own: merge them if they merge cleanly."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """The branch stays as it is; what was left is kept on a ref of its own."""


Placement: TypeAlias = AdvanceBranch | KeepTip | MergeBoth | SetAside


def decide_placement(found: AncestryFacts) -> Placement:
    """First match wins."""
    if found.tip_in_left:
        return AdvanceBranch()
    if found.left_in_tip:
        return KeepTip()
    # Half a rebase repeats commits of the branch it started from; merged, they would clash.
    return SetAside() if found.rebasing else MergeBoth()
