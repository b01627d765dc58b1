"""Brings an agent's work onto the run's branch from any state of the clone."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from treadle.workspace.agent_tree import agent_index
from treadle.workspace.attribution import strip_credits
from treadle.workspace.branch_decisions import (
    AdvanceBranch,
    AncestryFacts,
    KeepTip,
    MergeBoth,
    SetAside,
    decide_placement,
)
from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.disk import remove
from treadle.workspace.disk_tree import DiskTree, copy_index, write_disk_tree
from treadle.workspace.git import Git, GitFailed
from treadle.workspace.project import operation_in_progress
from treadle.workspace.round_losses import note_loss
from treadle.workspace.snapshot import commit_tree, tree_of

ASIDE_REFS = "refs/treadle/aside"
STASH_REF = "refs/stash"
SET_ASIDE_REMARK = "the round's work could not be merged into the run's branch"
STASH_REMARK = "The agent left a stash in the workspace; it is not part of the work."

# Git's files for unfinished operations.
OPERATION_FILES = (
    *("MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD"),
    *("BISECT_LOG", "BISECT_START", "BISECT_NAMES", "BISECT_TERMS", "BISECT_EXPECTED_REV"),
    *("rebase-merge", "rebase-apply", "sequencer", "SQUASH_MSG"),
)


@dataclass(frozen=True, slots=True)
class CommittedRound:
    """The run's branch after a round, and how it got there."""

    tip: str
    commit: str | None = None  # made by Treadle, if anything was uncommitted
    # The parent of `commit`, if the round is this one commit of files. The next three fields
    # describe it.
    on_top_of: str | None = None
    tree: str = field(default="", compare=False)
    files: tuple[str, ...] = field(default=(), compare=False)  # added or changed
    removed: tuple[str, ...] = field(default=(), compare=False)
    aside: str | None = None  # a commit that could not become part of the branch
    left_out: tuple[str, ...] = ()  # nested repositories, which stay on disk only
    remarks: tuple[str, ...] = ()
    lost: str = ""  # why the branch lacks part of the round's work


@dataclass(frozen=True, slots=True)
class _LeftCommit:
    """A commit with all work in the clone; `made` says whether Treadle made it."""

    commit: str
    tree: str
    made: bool


async def salvage(git: Git, clone: Clone, message: str) -> CommittedRound:
    """Commit uncommitted changes and place them on the branch without losing a commit.

    Objects are written first, then refs, then HEAD and index: after an interruption at any point,
    a second call has the same result.
    """
    remarks: list[str] = []
    tip = await _commit_at(git, clone.ref)
    if tip is None:
        remarks.append("The run's branch was missing; it starts at the snapshot again.")
        tip = clone.base
    remarks += await _describe(git, clone)
    with agent_index(clone) as index:
        disk_tree = await _write_tree(git, index)
        left_commit = await _commit_all(git, clone, disk_tree, message)
        placed, aside, remark = await _place_on_branch(git, clone, tip, left_commit)
        if aside is not None:
            note_loss(clone.path, SET_ASIDE_REMARK)
            await git.run("update-ref", f"{ASIDE_REFS}/{aside}", aside)
        await git.run("update-ref", clone.ref, placed)
        await _reset_clone(git, clone, index, placed)
    return CommittedRound(
        tip=placed,
        commit=left_commit.commit if left_commit.made else None,
        aside=aside,
        left_out=disk_tree.left_out,
        remarks=(*remarks, *((remark,) if remark else ())),
        lost="" if aside is None else SET_ASIDE_REMARK,
    )


async def _commit_at(git: Git, name: str) -> str | None:
    """The commit of a ref; None if there is no such ref. An unreadable commit raises GitFailed."""
    commit = await git.commit_of(name)
    if commit is None and (await git.try_run("rev-parse", "--verify", "--quiet", name)).ok:
        raise GitFailed(f"the commit of {name} cannot be read in {git.directory}")
    return commit


async def _describe(git: Git, clone: Clone) -> list[str]:
    remarks = []
    head = await git.try_run("symbolic-ref", "--quiet", "HEAD")
    if head.output != clone.ref:
        position = f"on {head.output.removeprefix('refs/heads/')}" if head.ok else "detached"
        remarks.append(f"The agent left HEAD {position}; it is on the run's branch again.")
    if operation := operation_in_progress(clone.git_dir):
        remarks.append(f"The agent left {operation} unfinished.")
    if (await git.try_run("rev-parse", "--verify", "--quiet", STASH_REF)).ok:
        remarks.append(STASH_REMARK)
    return remarks


async def _write_tree(git: Git, index: Path) -> DiskTree:
    # A missing or broken index would show every file as deleted, so HEAD's tree replaces it.
    refresh = await git.with_index(index).try_run("update-index", "-q", "--refresh")
    if not os.access(index, os.R_OK) or refresh.exit_code not in (0, 1):
        remove(index)
        if head := await git.commit_of("HEAD"):
            await git.with_index(index).run("read-tree", head)
    return await write_disk_tree(git, index)


async def _commit_all(git: Git, clone: Clone, disk_tree: DiskTree, message: str) -> _LeftCommit:
    head = await _commit_at(git, "HEAD")
    merged = await git.commit_of("MERGE_HEAD") if (clone.git_dir / "MERGE_HEAD").exists() else None
    parents = tuple(commit for commit in (head, merged) if commit is not None)
    if head is not None and merged is None and await tree_of(git, head) == disk_tree.tree:
        return _LeftCommit(head, disk_tree.tree, made=False)
    made = await commit_work(git, clone, disk_tree.tree, parents=parents, message=message)
    return _LeftCommit(made, disk_tree.tree, made=True)


async def commit_work(
    git: Git, clone: Clone, tree: str, *, parents: tuple[str, ...], message: str
) -> str:
    """A commit in the user's name, without credits to an AI unless they are allowed."""
    patterns = clone.rules.credit_patterns
    text = strip_credits(message, patterns) if patterns else message
    return await commit_tree(git, tree, parents=parents, message=text, author=clone.identity)


async def _place_on_branch(
    git: Git, clone: Clone, tip: str, left_commit: _LeftCommit
) -> tuple[str, str | None, str]:
    """The branch's next tip, the commit to set aside, and a remark."""
    facts = AncestryFacts(
        tip_in_left=await git.is_ancestor(tip, left_commit.commit),
        left_in_tip=await git.is_ancestor(left_commit.commit, tip),
        rebasing=operation_in_progress(clone.git_dir) == "a rebase",
    )
    match decide_placement(facts):
        case AdvanceBranch():
            return left_commit.commit, None, ""
        case KeepTip():
            return tip, None, ""
        case MergeBoth():
            if merged := await _merge(git, clone, tip, left_commit.commit):
                return merged, None, "Work from elsewhere in the clone was merged into the branch."
            return tip, left_commit.commit, ""
        case SetAside():
            return tip, left_commit.commit, ""
        case unreachable:
            assert_never(unreachable)


async def _merge(git: Git, clone: Clone, tip: str, left: str) -> str | None:
    # Merges without a checkout; git before 2.38 cannot, which counts as a conflict.
    merged = await git.try_run("merge-tree", "--write-tree", tip, left)
    if not merged.ok:
        return None
    tree = merged.output.splitlines()[0]
    return await commit_work(
        git, clone, tree, parents=(tip, left), message="Bring the work together"
    )


async def _reset_clone(git: Git, clone: Clone, index: Path, tip: str) -> None:
    """Reset HEAD, index and files to the branch; all other work is committed already."""
    await git.run("symbolic-ref", "HEAD", clone.ref)
    indexed_git = git.with_index(index)
    if await indexed_git.run("write-tree") != await tree_of(git, tip):
        await indexed_git.run("read-tree", "--reset", "-u", tip)
    copy_index(index, clone.git_dir / "index")
    for name in OPERATION_FILES:
        remove(clone.git_dir / name)
