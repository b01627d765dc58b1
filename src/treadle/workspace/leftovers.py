"""Decides what becomes of a run's branch when an agent left its clone in any state."""

from dataclasses import dataclass
from typing import TypeAlias

from treadle.workspace.contents import Changed
from treadle.workspace.status import Status, Tip


@dataclass(frozen=True, slots=True)
class Seen:
    """A clone at first sight; what git could not tell is None."""

    on_branch: bool
    unfinished: bool  # a merge, a rebase and the like
    tip: Tip | None
    status: Status | None


@dataclass(frozen=True, slots=True)
class Clean:
    """All work is on the run's branch."""

    tip: Tip
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Uncommitted:
    """One commit on top of the tip makes it so."""

    tip: Tip
    changed: Changed
    staged: bool = False  # the agent put something in the index, which may be no file


@dataclass(frozen=True, slots=True)
class Unusual:
    """It takes a closer look."""


Course: TypeAlias = Clean | Uncommitted | Unusual


def decide_course(seen: Seen) -> Course:
    """Only a clone in which nothing at all is odd is spared the closer look."""
    if not seen.on_branch or seen.unfinished or seen.tip is None:
        return Unusual()
    if seen.status is None or seen.status.unmerged:
        return Unusual()
    changed = seen.status.changed
    if seen.status.staged or changed.gone or changed.present:
        return Uncommitted(seen.tip, changed, staged=seen.status.staged)
    return Clean(seen.tip, changed.left_out)


@dataclass(frozen=True, slots=True)
class Found:
    """How what lies in the clone (`left`) and the run's branch (its tip) belong together."""

    tip_in_left: bool
    left_in_tip: bool
    rebasing: bool = False


@dataclass(frozen=True, slots=True)
class Advance:
    """The branch moves to what was left: nothing on it is dropped."""


@dataclass(frozen=True, slots=True)
class Stay:
    """The branch has it all; the agent was looking at an older commit."""


@dataclass(frozen=True, slots=True)
class Join:
    """Both sides have work of their own: merge them if they merge cleanly."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """The branch stays as it is; what was left is kept on a ref of its own."""


Placement: TypeAlias = Advance | Stay | Join | SetAside


def decide_placement(found: Found) -> Placement:
    """First match wins."""
    if found.tip_in_left:
        return Advance()
    if found.left_in_tip:
        return Stay()
    # Half a rebase repeats commits of the branch it started from; merged, they would clash.
    return SetAside() if found.rebasing else Join()
