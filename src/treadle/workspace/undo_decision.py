"""Decides what undoing a landing does to the user's checkout. Pure; any doubt leaves it alone."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from treadle.workspace.git_programs import FilteredFile, filtered_reason
from treadle.workspace.snapshot import CheckoutState


@dataclass(frozen=True, slots=True)
class UndoFacts:
    """The landing, and the checkout before it and now."""

    form: Literal["commits", "files"]
    before: CheckoutState  # when the run started
    now: CheckoutState
    snapshot: str
    snapshot_tree: str
    landed: str
    landed_tree: str
    landed_in_head: bool
    # Whether the index differs from HEAD.
    staged: bool = False
    operation: str | None = None
    # Files that the way back would write: those on disk already, and those that need a program.
    in_the_way: tuple[str, ...] = ()
    filtered: tuple[FilteredFile, ...] = ()


@dataclass(frozen=True, slots=True)
class ResetCheckout:
    """The checkout is exactly at the landed commit: move it to the commit of before."""


@dataclass(frozen=True, slots=True)
class LeaveUncommitted:
    """The checkout is at the snapshot commit, where an interrupted undo left it: the changes in it
    become uncommitted again."""


@dataclass(frozen=True, slots=True)
class ReverseFiles:
    """The work landed as uncommitted changes and nothing else changed: take exactly them back."""


@dataclass(frozen=True, slots=True)
class NothingLanded:
    """The checkout does not contain the work."""


@dataclass(frozen=True, slots=True)
class RevertByHand:
    """Something was added since, so only a person can take the work back."""

    reason: str


UndoDecision: TypeAlias = (
    ResetCheckout | LeaveUncommitted | ReverseFiles | NothingLanded | RevertByHand
)


def decide_undo(facts: UndoFacts) -> UndoDecision:
    """The first match wins."""
    if facts.form == "files":
        return _decide_files(facts)
    if not facts.landed_in_head:
        return LeaveUncommitted() if _is_half_undone(facts) else NothingLanded()
    where = facts.now.branch or "a detached HEAD"
    if facts.now.head != facts.landed:
        return RevertByHand(f"{where} has other commits since the work landed")
    if facts.before.branch != facts.now.branch:
        return RevertByHand(f"you have switched to {where} since the work landed")
    if facts.before.head is None:
        return RevertByHand("there was no commit before the work landed")
    return _decide_by_files(facts) or ResetCheckout()


def _is_half_undone(facts: UndoFacts) -> bool:
    """Whether HEAD is at the commit with the user's uncommitted changes, and nothing was edited."""
    return (
        facts.now.head == facts.snapshot
        and facts.before.head not in (None, facts.snapshot)
        and facts.before.branch == facts.now.branch
        and facts.now.tree == facts.snapshot_tree
        and facts.operation is None
        and not facts.staged
    )


def _decide_files(facts: UndoFacts) -> UndoDecision:
    if facts.now.tree == facts.snapshot_tree:
        return NothingLanded()
    if (facts.now.head, facts.now.branch) != (facts.before.head, facts.before.branch):
        return RevertByHand("you have committed or switched branches since the work landed")
    if facts.now.tree != facts.landed_tree:
        return RevertByHand("files were changed since the work landed")
    return _decide_by_files(facts) or ReverseFiles()


def _decide_by_files(facts: UndoFacts) -> RevertByHand | None:
    if facts.operation is not None:
        return RevertByHand(f"you are in the middle of {facts.operation}")
    if facts.now.tree != facts.landed_tree:
        return RevertByHand("files were changed since the work landed")
    if facts.staged and facts.form == "commits":
        return RevertByHand("you have staged changes since the work landed")
    if facts.in_the_way:
        return RevertByHand(f"files of yours are in the way: {', '.join(facts.in_the_way)}")
    if facts.filtered:
        return RevertByHand(filtered_reason(facts.filtered))
    return None
