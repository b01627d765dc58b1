"""Commits an agent's changes in its clone; salvages them if the clone is in an unusual state."""

import os
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from treadle.workspace.agent_tree import (
    CloneRepair,
    agent_git,
    agent_index,
    repair_clone,
    replace_git_dir,
)
from treadle.workspace.backups import ref_move
from treadle.workspace.branch_decisions import (
    MOST_FILES,
    CleanClone,
    CloneState,
    UncommittedChanges,
    UnusualState,
    classify_clone,
)
from treadle.workspace.clone_git_dir import Clone, require_project
from treadle.workspace.disk_tree import copy_index, write_changed_paths
from treadle.workspace.git import Git, GitFailed, GitResult, run_together
from treadle.workspace.git_status import (
    REFS_COMMAND,
    STATUS_COMMAND,
    read_status,
    read_tip,
    ref_names,
)
from treadle.workspace.hostile_files import read_start
from treadle.workspace.round_losses import note_if_gone, note_loss, read_loss
from treadle.workspace.salvage import (
    OPERATION_FILES,
    STASH_REF,
    STASH_REMARK,
    CommittedRound,
    commit_work,
    salvage,
)

_LATER_REMARK = (
    f"new files are left for the next round, because a round commits at most {MOST_FILES:,}."
)

__all__ = ["CommittedRound", "commit_files", "commit_round"]


async def commit_round(clone: Clone, message: str) -> CommittedRound:
    """Commit uncommitted changes and make HEAD the run's branch, with all work on it.

    Objects are written first, then refs, then HEAD and index: after an interruption at any point,
    a second call has the same result.
    """
    require_project(clone)
    note_if_gone(clone.path)
    repair = await repair_clone(clone)
    try:
        committed = await _commit_left_work(clone, message)
    except GitFailed as error:
        committed = await commit_files(clone, message, error)
    return _with_repairs(repair, committed, read_loss(clone.path))


async def commit_files(clone: Clone, message: str, error: GitFailed) -> CommittedRound:
    """Commit the files on disk, after git failed on the clone's history."""
    require_project(clone)
    # If HEAD was not the branch, the files may not match the branch.
    if not _is_on_branch(clone):
        note_loss(clone.path, "the workspace's history was damaged")
    remark = await replace_git_dir(clone, f"git could not work with it: {error.message}")
    committed = await _commit_left_work(clone, message)
    return _with_repairs(CloneRepair((remark,)), committed, read_loss(clone.path))


def _with_repairs(
    repair: CloneRepair, committed: CommittedRound, noted_loss: str
) -> CommittedRound:
    remarks = (*repair.remarks, *committed.remarks)
    return replace(committed, remarks=remarks, lost=repair.lost or noted_loss or committed.lost)


async def _commit_left_work(clone: Clone, message: str) -> CommittedRound:
    git = agent_git(clone)
    with agent_index(clone) as index:
        state, remarks = await _inspect(git, clone, index)
        match classify_clone(state):
            case CleanClone(tip, left_out):
                return CommittedRound(tip.commit, left_out=left_out, remarks=remarks)
            case UncommittedChanges() as left:
                made, tree = await _commit_on_tip(git, clone, index, left, message)
                if left.later:
                    remarks = (*remarks, f"{left.later:,} {_LATER_REMARK}")
                return CommittedRound(
                    made or left.tip.commit,
                    commit=made,
                    on_top_of=left.tip.commit if made and not left.staged else None,
                    tree=tree,
                    files=left.changed.present,
                    removed=left.changed.removed,
                    left_out=left.changed.left_out,
                    remarks=remarks,
                )
            case UnusualState():
                return await salvage(git, clone, message)
            case unreachable:
                assert_never(unreachable)


async def _inspect(git: Git, clone: Clone, index: Path) -> tuple[CloneState, tuple[str, ...]]:
    """The state of the clone, and remarks for a clone that needs no salvage."""
    refs, status = await run_together(
        git.try_run(*REFS_COMMAND, clone.ref, STASH_REF),
        git.with_index(index).try_run(*STATUS_COMMAND),
    )
    remarks = (STASH_REMARK,) if STASH_REF in ref_names(refs.output) else ()
    return _clone_state(clone, index, refs, status), remarks


def _clone_state(clone: Clone, index: Path, refs: GitResult, status: GitResult) -> CloneState:
    # Without an index git would report every file as deleted.
    has_status = status.ok and os.access(index, os.R_OK)
    return CloneState(
        on_branch=_is_on_branch(clone),
        unfinished=any(os.path.lexists(clone.git_dir / name) for name in OPERATION_FILES),
        tip=read_tip(refs.output, clone.ref) if refs.ok else None,
        status=read_status(status.output) if has_status else None,
    )


def _is_on_branch(clone: Clone) -> bool:
    expected = f"ref: {clone.ref}\n".encode()
    return read_start(clone.git_dir / "HEAD", len(expected) + 1) == expected


async def _commit_on_tip(
    git: Git, clone: Clone, index: Path, left: UncommittedChanges, message: str
) -> tuple[str | None, str]:
    """The new commit and its tree; no commit if an interrupted call has already made it."""
    tree = await write_changed_paths(git, index, left.changed)
    made = None
    if tree != left.tip.tree:
        made = await commit_work(git, clone, tree, parents=(left.tip.commit,), message=message)
        await git.run(*ref_move(clone.ref, made, from_=left.tip.commit))
    copy_index(index, clone.git_dir / "index")
    return made, tree
