"""Work lands only in an unchanged checkout; otherwise the user gets a reason and a command."""

from dataclasses import replace

import pytest

from treadle.domain.events.verification import EvidenceTouched
from treadle.domain.events.work import ToolFile, WorkChanged
from treadle.domain.run import DeletionLimits, WeakeningLimits
from treadle.workspace.landing_decision import (
    AlreadyLanded,
    KeepOnBranch,
    LandingDecision,
    LandingFacts,
    LandNow,
    why_ask_about_deletions,
    why_ask_about_tool_files,
    why_ask_about_weaker_tests,
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
            KeepOnBranch("someone else moved the branch treadle/x-1 meanwhile", MERGE),
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


LIMITS = DeletionLimits(files=20, percent=25)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (WorkChanged("c", files_before=0, added=300), ""),
        (WorkChanged("c", files_before=1000, changed=900), ""),
        (WorkChanged("c", files_before=1000, deleted=20), ""),
        (
            WorkChanged("c", files_before=1000, deleted=21),
            "it deletes 21 of 1,000 files (land_ask_deletions = 20)",
        ),
        (WorkChanged("c", files_before=20, deleted=5), ""),
        (
            WorkChanged("c", files_before=19, deleted=5),
            "it deletes 5 of 19 files (land_ask_deletions_percent = 25)",
        ),
        # In a small project a few files are a large share, and no reason to ask.
        (WorkChanged("c", files_before=4, deleted=4), ""),
        (WorkChanged("c", 9, lines_before=1000, lines_deleted=300, lines_added=50), ""),
        (
            WorkChanged("c", 9, lines_before=1000, lines_deleted=301, lines_added=50),
            "it takes away 251 of 1,000 lines (land_ask_deletions_percent = 25)",
        ),
    ],
)
def test_much_that_is_deleted_needs_a_yes(changes: WorkChanged, why: str) -> None:
    assert why_ask_about_deletions(changes, LIMITS) == why


@pytest.mark.parametrize(
    ("touched", "why"),
    [
        (EvidenceTouched(()), ""),
        (EvidenceTouched((), tests_lost=10), ""),
        (
            EvidenceTouched((), tests_lost=11),
            "it removes, skips or empties 11 tests (land_ask_weaker_tests = 10)",
        ),
        (EvidenceTouched((), assertions_lost=9), ""),
        (EvidenceTouched((), assertions_lost=25, assertions_before=100), ""),
        (
            EvidenceTouched((), assertions_lost=26, assertions_before=100),
            "it takes 26 of 100 assertions out of the tests (land_ask_weaker_tests_percent = 25)",
        ),
    ],
)
def test_much_that_is_weakened_needs_a_yes(touched: EvidenceTouched, why: str) -> None:
    limits = WeakeningLimits(tests=10, percent=25)

    assert why_ask_about_weaker_tests(touched, limits) == why


def test_deletions_that_somebody_allows_need_none() -> None:
    everything = WorkChanged("c", 500, deleted=500, lines_before=9000, lines_deleted=9000)

    assert why_ask_about_deletions(everything, DeletionLimits(files=500, percent=100)) == ""


def test_files_that_tools_run_by_themselves_are_asked_about_and_named() -> None:
    ask = [ToolFile(f"{n}/.npmrc", "added", "ask", "") for n in range(22)]
    named = ToolFile("CLAUDE.md", "changed", "named", "")

    assert why_ask_about_tool_files([named]) == ""
    assert why_ask_about_tool_files([*ask[:2], named]) == (
        "it changes what tools run by themselves: 0/.npmrc, 1/.npmrc (land_name lets it land)"
    )
    listed = ", ".join(f"{n}/.npmrc" for n in range(22))
    assert why_ask_about_tool_files(ask) == (
        f"it changes what tools run by themselves: {listed} (land_name lets it land)"
    )
