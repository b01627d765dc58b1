"""An agent's work goes onto the run's branch, unless that could drop or garble commits."""

import pytest

from treadle.workspace.branch_decisions import (
    MOST_FILES,
    AdvanceBranch,
    AncestryFacts,
    CleanClone,
    CloneCondition,
    CloneState,
    KeepTip,
    MergeBoth,
    Placement,
    SetAside,
    UncommittedChanges,
    UnusualState,
    classify_clone,
    decide_placement,
)
from treadle.workspace.disk_tree import ChangedPaths
from treadle.workspace.git_status import BranchTip, CloneStatus

TIP = BranchTip("commit", "tree")
NOTHING = ChangedPaths((), (), ())
NESTED = ChangedPaths((), (), ("nested/",))
NEW = ChangedPaths((), ("new",), ("nested/",))
MANY = ChangedPaths((), ("changed", *("new",) * (MOST_FILES + 1)), ())
ENOUGH = ChangedPaths((), ("changed", *("new",) * (MOST_FILES - 1)), ())
GONE = ChangedPaths(("old",), (), ())


def seen(
    changed: ChangedPaths = NOTHING,
    *,
    on_branch: bool = True,
    unfinished: bool = False,
    staged: bool = False,
    unmerged: bool = False,
) -> CloneState:
    return CloneState(
        on_branch, unfinished, TIP, CloneStatus(changed, staged=staged, unmerged=unmerged)
    )


@pytest.mark.parametrize(
    ("facts", "course"),
    [
        (seen(), CleanClone(TIP)),
        (seen(NESTED), CleanClone(TIP, ("nested/",))),
        (seen(NEW), UncommittedChanges(TIP, NEW)),
        (seen(GONE), UncommittedChanges(TIP, GONE)),
        (seen(MANY), UncommittedChanges(TIP, ENOUGH, later=2)),
        (seen(staged=True), UncommittedChanges(TIP, NOTHING, staged=True)),
        (seen(on_branch=False), UnusualState()),
        (seen(NEW, on_branch=False), UnusualState()),
        (seen(unfinished=True), UnusualState()),
        (seen(NEW, unfinished=True), UnusualState()),
        (seen(unmerged=True), UnusualState()),
        (
            CloneState(on_branch=True, unfinished=False, tip=None, status=CloneStatus(NOTHING)),
            UnusualState(),
        ),
        (CloneState(on_branch=True, unfinished=False, tip=TIP, status=None), UnusualState()),
    ],
)
def test_course(facts: CloneState, course: CloneCondition) -> None:
    assert classify_clone(facts) == course


@pytest.mark.parametrize(
    ("found", "placement"),
    [
        (AncestryFacts(tip_in_left=True, left_in_tip=True), AdvanceBranch()),
        (AncestryFacts(tip_in_left=True, left_in_tip=False), AdvanceBranch()),
        (AncestryFacts(tip_in_left=True, left_in_tip=False, rebasing=True), AdvanceBranch()),
        (AncestryFacts(tip_in_left=False, left_in_tip=True), KeepTip()),
        (AncestryFacts(tip_in_left=False, left_in_tip=True, rebasing=True), KeepTip()),
        (AncestryFacts(tip_in_left=False, left_in_tip=False), MergeBoth()),
        (AncestryFacts(tip_in_left=False, left_in_tip=False, rebasing=True), SetAside()),
    ],
)
def test_placement(found: AncestryFacts, placement: Placement) -> None:
    assert decide_placement(found) == placement
