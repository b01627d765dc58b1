"""Work lands only in an unchanged checkout; otherwise the user gets a reason and a command."""

from dataclasses import replace

import pytest

from treadle.workspace.landing_decision import (
    AlreadyLanded,
    KeepOnBranch,
    LandingDecision,
    LandingFacts,
    LandNow,
)
from treadle.workspace.landing_decision import decide_landing as decide
from treadle.workspace.snapshot import CheckoutState

BEFORE = CheckoutState("head", "main", "tree")
READY = LandingFacts(
    before=BEFORE,
    now=BEFORE,
    snapshot_commit="snapshot",
    branch="treadle/x-1",
    branch_commit="work",
    work="work",
    work_in_head=False,
    descends=True,
    operation=None,
)
MERGE = "git merge treadle/x-1"


@pytest.mark.parametrize(
    ("facts", "decision"),
    [
        (READY, LandNow()),
        # a landing that was cut short has moved HEAD to the snapshot already
        (replace(READY, now=replace(BEFORE, head="snapshot")), LandNow()),
        (replace(READY, work_in_head=True, branch_commit=None), AlreadyLanded()),
        (
            replace(READY, branch_commit=None),
            KeepOnBranch(
                "the branch treadle/x-1 was deleted meanwhile", "git branch treadle/x-1 work"
            ),
        ),
        (
            replace(READY, branch_commit="other"),
            KeepOnBranch("somebody else moved the branch treadle/x-1 meanwhile", MERGE),
        ),
        (
            replace(READY, work="snapshot", branch_commit="snapshot"),
            KeepOnBranch("there is nothing to land: the run made no commits", MERGE),
        ),
        (
            replace(READY, operation="a rebase"),
            KeepOnBranch("you are in the middle of a rebase: finish it first", MERGE),
        ),
        (
            replace(READY, descends=False),
            KeepOnBranch("the agent rewrote the history that the run started from", MERGE),
        ),
        (
            replace(READY, now=replace(BEFORE, branch="other")),
            KeepOnBranch("you have switched from main to other meanwhile", MERGE),
        ),
        (
            replace(READY, now=replace(BEFORE, branch=None)),
            KeepOnBranch("you have switched from main to a detached HEAD meanwhile", MERGE),
        ),
        (
            replace(READY, now=replace(BEFORE, head="more")),
            KeepOnBranch("main has other commits than when the run started", MERGE),
        ),
        (
            replace(READY, now=replace(BEFORE, tree="other")),
            KeepOnBranch("files were changed after the run started: commit them first", MERGE),
        ),
        (
            replace(READY, before=replace(BEFORE, head=None), now=replace(BEFORE, head="first")),
            KeepOnBranch(
                "main has other commits than when the run started",
                "git merge --allow-unrelated-histories treadle/x-1",
            ),
        ),
    ],
)
def test_landing(facts: LandingFacts, decision: LandingDecision) -> None:
    assert decide(facts) == decision
