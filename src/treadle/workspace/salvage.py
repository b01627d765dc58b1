"""Brings an agent's work onto the run's branch from wherever the agent left it."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from treadle.workspace.agent_tree import agent_index
from treadle.workspace.attribution import strip_attribution
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

# What git keeps of something that it was told to do and has not finished.
OPERATION_FILES = (
    *("MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD"),
    *("BISECT_LOG", "BISECT_START", "BISECT_NAMES", "BISECT_TERMS", "BISECT_EXPECTED_REV"),
    *("rebase-merge", "rebase-apply", "sequencer", "SQUASH_MSG"),
)


@dataclass(frozen=True, slots=True)
class CommittedRound:
    """The run's branch after a round, and what had to be done to get there."""

    tip: str
    commit: str | None = None  # the one we made, if anything was left uncommitted
    # What that commit stands on, if it changes nothing there but files.
    on_top_of: str | None = None
    tree: str = field(default="", compare=False)  # its own, if it does
    files: tuple[str, ...] = field(default=(), compare=False)  # which ones, if it does
    gone: tuple[str, ...] = field(default=(), compare=False)  # and those that it removes
    aside: str | None = None  # a commit that could not become part of the branch
    left_out: tuple[str, ...] = ()  # nested repositories, which stay on disk only
    remarks: tuple[str, ...] = ()
    lost: str = ""  # why the branch does not have all that the round made


@dataclass(frozen=True, slots=True)
class _LeftCommit:
    """What lies in the clone, all of it committed; `made` if we had to commit something."""

    commit: str
    tree: str
    made: bool


async def salvage(git: Git, clone: Clone, message: str) -> CommittedRound:
    """Commit what is uncommitted, and place it on the branch so that no commit is lost.

    Objects come first, then refs, then HEAD and index: cut anywhere, a second call ends the same.
    """
    remarks: list[str] = []
    tip = await _commit_at(git, clone.ref)
    if tip is None:
        remarks.append("The run's branch was missing; it starts at the snapshot again.")
        tip = clone.base
    remarks += await _describe(git, clone)
    with agent_index(clone) as index:
        contents = await _write_tree(git, index)
        left = await _commit_all(git, clone, contents, message)
        placed, aside, remark = await _place_on_branch(git, clone, tip, left)
        if aside is not None:
            note_loss(clone.path, SET_ASIDE_REMARK)
            await git.run("update-ref", f"{ASIDE_REFS}/{aside}", aside)
        await git.run("update-ref", clone.ref, placed)
        await _reset_clone(git, clone, index, placed)
    return CommittedRound(
        tip=placed,
        commit=left.commit if left.made else None,
        aside=aside,
        left_out=contents.left_out,
        remarks=(*remarks, *((remark,) if remark else ())),
        lost="" if aside is None else SET_ASIDE_REMARK,
    )


async def _commit_at(git: Git, name: str) -> str | None:
    """None if there is no such name; one that leads to nothing is damage, and no fresh start."""
    commit = await git.commit_of(name)
    if commit is None and (await git.try_run("rev-parse", "--verify", "--quiet", name)).ok:
        raise GitFailed(f"the commit of {name} cannot be read in {git.directory}")
    return commit


async def _describe(git: Git, clone: Clone) -> list[str]:
    remarks = []
    head = await git.try_run("symbolic-ref", "--quiet", "HEAD")
    if head.output != clone.ref:
        where = f"on {head.output.removeprefix('refs/heads/')}" if head.ok else "detached"
        remarks.append(f"The agent left HEAD {where}; it is on the run's branch again.")
    if operation := operation_in_progress(clone.git_dir):
        remarks.append(f"The agent left {operation} unfinished.")
    if (await git.try_run("rev-parse", "--verify", "--quiet", STASH_REF)).ok:
        remarks.append(STASH_REMARK)
    return remarks


async def _write_tree(git: Git, index: Path) -> DiskTree:
    # An index that is missing or broken would show every file as deleted; HEAD's takes its place.
    listed = await git.with_index(index).try_run("update-index", "-q", "--refresh")
    if not os.access(index, os.R_OK) or listed.exit_code not in (0, 1):
        remove(index)
        if head := await git.commit_of("HEAD"):
            await git.with_index(index).run("read-tree", head)
    return await write_disk_tree(git, index)


async def _commit_all(git: Git, clone: Clone, contents: DiskTree, message: str) -> _LeftCommit:
    head = await _commit_at(git, "HEAD")
    merged = await git.commit_of("MERGE_HEAD") if (clone.git_dir / "MERGE_HEAD").exists() else None
    parents = tuple(commit for commit in (head, merged) if commit is not None)
    if head is not None and merged is None and await tree_of(git, head) == contents.tree:
        return _LeftCommit(head, contents.tree, made=False)
    made = await commit_work(git, clone, contents.tree, parents=parents, message=message)
    return _LeftCommit(made, contents.tree, made=True)


async def commit_work(
    git: Git, clone: Clone, tree: str, *, parents: tuple[str, ...], message: str
) -> str:
    """A commit in the user's name, crediting no AI unless that is allowed."""
    words = strip_attribution(message) if clone.attribution == "removed" else message
    return await commit_tree(git, tree, parents=parents, message=words, author=clone.identity)


async def _place_on_branch(
    git: Git, clone: Clone, tip: str, left: _LeftCommit
) -> tuple[str, str | None, str]:
    """The branch's next tip, the commit to keep apart, and what to tell about it."""
    found = AncestryFacts(
        tip_in_left=await git.is_ancestor(tip, left.commit),
        left_in_tip=await git.is_ancestor(left.commit, tip),
        rebasing=operation_in_progress(clone.git_dir) == "a rebase",
    )
    match decide_placement(found):
        case AdvanceBranch():
            return left.commit, None, ""
        case KeepTip():
            return tip, None, ""
        case MergeBoth():
            if joined := await _merge(git, clone, tip, left.commit):
                return joined, None, "Work from elsewhere in the clone was merged into the branch."
            return tip, left.commit, ""
        case SetAside():
            return tip, left.commit, ""
        case unreachable:
            assert_never(unreachable)


async def _merge(git: Git, clone: Clone, tip: str, left: str) -> str | None:
    # Merges without a checkout; a git older than 2.38 cannot, which counts as a conflict.
    merged = await git.try_run("merge-tree", "--write-tree", tip, left)
    if not merged.ok:
        return None
    tree = merged.output.splitlines()[0]
    return await commit_work(
        git, clone, tree, parents=(tip, left), message="Bring the work together"
    )


async def _reset_clone(git: Git, clone: Clone, index: Path, tip: str) -> None:
    """HEAD, index and files become those of the branch; all that differs is committed by now."""
    await git.run("symbolic-ref", "HEAD", clone.ref)
    through = git.with_index(index)
    if await through.run("write-tree") != await tree_of(git, tip):
        await through.run("read-tree", "--reset", "-u", tip)
    copy_index(index, clone.git_dir / "index")
    for name in OPERATION_FILES:
        remove(clone.git_dir / name)
