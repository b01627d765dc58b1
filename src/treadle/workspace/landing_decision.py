"""Decides whether a run's work may land in the user's checkout, and why not. Pure."""

from dataclasses import dataclass
from typing import TypeAlias

from treadle.workspace.snapshot import CheckoutState


@dataclass(frozen=True, slots=True)
class LandingFacts:
    """All that the decision depends on."""

    before: CheckoutState  # as the run found it
    now: CheckoutState
    snapshot_commit: str
    branch: str
    branch_commit: str | None  # where the run's branch is now
    work: str  # the commit to land
    work_in_head: bool
    descends: bool
    operation: str | None


@dataclass(frozen=True, slots=True)
class LandNow:
    """Go ahead."""


@dataclass(frozen=True, slots=True)
class AlreadyLanded:
    """The checkout contains the work already."""


@dataclass(frozen=True, slots=True)
class KeepOnBranch:
    """Leave it on its branch: why, and the one command that goes on from there."""

    reason: str
    command: str


LandingDecision: TypeAlias = LandNow | AlreadyLanded | KeepOnBranch


def _merge_command(facts: LandingFacts) -> str:
    # The run began a history of its own where there was none; what the user began since is another.
    unrelated = "--allow-unrelated-histories " if facts.before.head is None else ""
    return f"git merge {unrelated}{facts.branch}"


def decide_landing(facts: LandingFacts) -> LandingDecision:
    """First match wins."""
    merge = _merge_command(facts)
    if facts.work_in_head:
        return AlreadyLanded()
    if facts.branch_commit is None:
        return KeepOnBranch(
            f"the branch {facts.branch} was deleted meanwhile",
            f"git branch {facts.branch} {facts.work}",
        )
    if facts.branch_commit != facts.work:
        return KeepOnBranch(f"somebody else moved the branch {facts.branch} meanwhile", merge)
    if facts.work == facts.snapshot_commit:
        return KeepOnBranch("there is nothing to land: the run made no commits", merge)
    if facts.operation is not None:
        return KeepOnBranch(f"you are in the middle of {facts.operation}: finish it first", merge)
    if not facts.descends:
        return KeepOnBranch("the agent rewrote the history that the run started from", merge)
    return _decide_by_checkout(facts, merge)


def _decide_by_checkout(facts: LandingFacts, merge: str) -> LandNow | KeepOnBranch:
    before, now = facts.before, facts.now
    if before.branch != now.branch:
        there, here = _describe_checkout(before), _describe_checkout(now)
        return KeepOnBranch(f"you have switched from {there} to {here} meanwhile", merge)
    # A landing that was cut short has moved the branch to the snapshot already.
    if now.head not in (before.head, facts.snapshot_commit):
        return KeepOnBranch(
            f"{_describe_checkout(now)} has other commits than when the run started", merge
        )
    if before.tree != now.tree:
        return KeepOnBranch("files were changed after the run started: commit them first", merge)
    return LandNow()


def _describe_checkout(checkout: CheckoutState) -> str:
    return checkout.branch or "a detached HEAD"
