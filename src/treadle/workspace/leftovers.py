"""Decides what becomes of a run's branch when an agent left its clone in any state."""

from dataclasses import dataclass
from typing import TypeAlias


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
