"""Decides whether a run's work may land in the user's checkout, and why not. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from treadle.domain.events.verification import EvidenceTouched
from treadle.domain.events.work import ToolFile, WorkChanged
from treadle.domain.run import DeletionLimits, WeakeningLimits
from treadle.workspace.git_programs import FilteredFile, filtered_reason
from treadle.workspace.snapshot import CheckoutState

# Fewer deleted files are no share of a project, however small it is.
MIN_FILES = 5


@dataclass(frozen=True, slots=True)
class LandingFacts:
    """The facts that the decision depends on."""

    before: CheckoutState  # when the run started
    now: CheckoutState
    snapshot_commit: str
    branch: str
    branch_commit: str | None  # the current commit of the run's branch
    work: str  # the commit to land
    work_in_head: bool
    descends: bool
    operation: str | None
    # Whether the checkout is as before but for paths that no work contains, by its files and by
    # its commit, if that descends from the one before.
    same_files: bool = False
    same_commit: bool = False
    # Files of the work that need a program on their way to the disk.
    filtered: tuple[FilteredFile, ...] = ()


@dataclass(frozen=True, slots=True)
class LandNow:
    """The work can land."""


@dataclass(frozen=True, slots=True)
class LandMerged:
    """The work can land on top of commits that changed none of its paths."""


@dataclass(frozen=True, slots=True)
class AlreadyLanded:
    """The checkout already contains the work."""


@dataclass(frozen=True, slots=True)
class KeepOnBranch:
    """The work stays on its branch: the reason, and the command to continue with."""

    reason: str
    command: str


LandingDecision: TypeAlias = LandNow | LandMerged | AlreadyLanded | KeepOnBranch


def why_ask_about_deletions(changes: WorkChanged, limits: DeletionLimits) -> str:
    """Why the work takes away so much that a person must say yes first; empty if it does not."""
    files = f"{changes.deleted:,} of {changes.files_before:,} files"
    if changes.deleted > limits.files:
        return f"it deletes {files} (land_ask_deletions = {limits.files})"
    percent = f"land_ask_deletions_percent = {limits.percent}"
    share = limits.percent / 100
    if changes.deleted >= MIN_FILES and changes.deleted > share * changes.files_before:
        return f"it deletes {files} ({percent})"
    lines = changes.lines_deleted - changes.lines_added
    if changes.lines_before is not None and lines > share * changes.lines_before:
        return f"it takes away {lines:,} of {changes.lines_before:,} lines ({percent})"
    return ""


def why_ask_about_tool_files(files: Sequence[ToolFile]) -> str:
    """Why a person must allow files that tools run by themselves; empty if there are none.

    All are named, in the order of `files`: a harmless crowd must not hide one.
    """
    paths = [each.path for each in files if each.effect == "ask"]
    if not paths:
        return ""
    listed = ", ".join(paths)
    return f"it changes what tools run by themselves: {listed} (land_name lets it land)"


def why_ask_about_weaker_tests(touched: EvidenceTouched, limits: WeakeningLimits) -> str:
    """Why the work weakens the tests so much that a person must say yes first; else empty."""
    if touched.tests_lost > limits.tests:
        lost = f"{touched.tests_lost:,} tests"
        return f"it removes, skips or empties {lost} (land_ask_weaker_tests = {limits.tests})"
    before = touched.assertions_before
    if before is not None and touched.assertions_lost > limits.percent / 100 * before:
        lost = f"{touched.assertions_lost:,} of {before:,} assertions"
        percent = f"land_ask_weaker_tests_percent = {limits.percent}"
        return f"it takes {lost} out of the tests ({percent})"
    return ""


def _merge_command(facts: LandingFacts) -> str:
    # Without a first commit the run started its own history, and the user may have started another.
    unrelated = "--allow-unrelated-histories " if facts.before.head is None else ""
    return f"git merge {unrelated}{facts.branch}"


def decide_landing(facts: LandingFacts) -> LandingDecision:
    """Decide by the first matching condition."""
    merge = _merge_command(facts)
    if facts.work_in_head:
        return AlreadyLanded()
    if facts.branch_commit is None:
        return KeepOnBranch(
            f"the branch {facts.branch} was deleted meanwhile",
            f"git branch {facts.branch} {facts.work}",
        )
    if facts.branch_commit != facts.work:
        return KeepOnBranch(f"someone else moved the branch {facts.branch} meanwhile", merge)
    if facts.work == facts.snapshot_commit:
        return KeepOnBranch("there is nothing to land: the run made no commits", merge)
    if facts.operation is not None:
        return KeepOnBranch(f"you are in the middle of {facts.operation}: finish it first", merge)
    if not facts.descends:
        return KeepOnBranch("the agent rewrote the history that the run started from", merge)
    return _decide_by_checkout(facts, merge)


def _decide_by_checkout(facts: LandingFacts, merge: str) -> LandNow | LandMerged | KeepOnBranch:
    before, now = facts.before, facts.now
    if before.branch != now.branch:
        old_branch, new_branch = _describe_checkout(before), _describe_checkout(now)
        return KeepOnBranch(f"you have switched from {old_branch} to {new_branch} meanwhile", merge)
    # An interrupted landing has already moved the branch to the snapshot.
    moved = now.head not in (before.head, facts.snapshot_commit)
    if moved and not (facts.same_commit and facts.same_files):
        return KeepOnBranch(
            f"{_describe_checkout(now)} has other commits than when the run started", merge
        )
    if before.tree != now.tree and not facts.same_files:
        return KeepOnBranch("files were changed after the run started: commit them first", merge)
    if facts.filtered:
        return KeepOnBranch(filtered_reason(facts.filtered), merge)
    return LandMerged() if moved else LandNow()


def _describe_checkout(checkout: CheckoutState) -> str:
    return checkout.branch or "a detached HEAD"
