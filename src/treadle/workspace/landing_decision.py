"""Decides whether a run's work may go into the user's checkout, and says why when it may not."""

from dataclasses import dataclass
from typing import TypeAlias

from treadle.workspace.snapshot import Checkout


@dataclass(frozen=True, slots=True)
class LandingFacts:
    """All that the decision depends on."""

    before: Checkout  # as the run found it
    now: Checkout
    snapshot_commit: str
    branch: str
    branch_commit: str | None  # where the run's branch is now
    work: str  # the commit to land
    work_in_head: bool
    descends: bool
    operation: str | None


@dataclass(frozen=True, slots=True)
class Land:
    """Go ahead."""


@dataclass(frozen=True, slots=True)
class HasLanded:
    """The checkout contains the work already."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Leave it on its branch: why, and the one command that goes on from there."""

    reason: str
    command: str


LandingDecision: TypeAlias = Land | HasLanded | Keep


def _merge_command(facts: LandingFacts) -> str:
    # The run began a history of its own where there was none; what the user began since is another.
    unrelated = "--allow-unrelated-histories " if facts.before.head is None else ""
    return f"git merge {unrelated}{facts.branch}"


def decide_landing(facts: LandingFacts) -> LandingDecision:
    """First match wins."""
    merge = _merge_command(facts)
    if facts.work_in_head:
        return HasLanded()
    if facts.branch_commit is None:
        return Keep(
            f"the branch {facts.branch} was deleted meanwhile",
            f"git branch {facts.branch} {facts.work}",
        )
    if facts.branch_commit != facts.work:
        return Keep(f"somebody else moved the branch {facts.branch} meanwhile", merge)
    if facts.work == facts.snapshot_commit:
        return Keep("there is nothing to land: the run made no commits", merge)
    if facts.operation is not None:
        return Keep(f"you are in the middle of {facts.operation}: finish it first", merge)
    if not facts.descends:
        return Keep("the agent rewrote the history that the run started from", merge)
    return _compare(facts, merge)


def _compare(facts: LandingFacts, merge: str) -> Land | Keep:
    before, now = facts.before, facts.now
    if before.branch != now.branch:
        return Keep(f"you have switched from {_place(before)} to {_place(now)} meanwhile", merge)
    # A landing that was cut short has moved the branch to the snapshot already.
    if now.head not in (before.head, facts.snapshot_commit):
        return Keep(f"{_place(now)} has other commits than when the run started", merge)
    if before.tree != now.tree:
        return Keep("files were changed after the run started: commit them first", merge)
    return Land()


def _place(checkout: Checkout) -> str:
    return checkout.branch or "a detached HEAD"
