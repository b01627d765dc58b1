"""Commits what an agent left in its clone; salvages it if the clone is in an odd state."""

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
from treadle.workspace.round_losses import note_if_gone, note_loss, read_loss
from treadle.workspace.salvage import (
    OPERATION_FILES,
    STASH_REF,
    STASH_REMARK,
    CommittedRound,
    commit_work,
    salvage,
)

__all__ = ["CommittedRound", "commit_files", "commit_round"]


async def commit_round(clone: Clone, message: str) -> CommittedRound:
    """Commit what is uncommitted and see that HEAD is the run's branch, with everything on it.

    Objects come first, then refs, then HEAD and index: cut anywhere, a second call ends the same.
    """
    require_project(clone)
    note_if_gone(clone.path)
    mended = await repair_clone(clone)
    try:
        rest = await _commit_left_work(clone, message)
    except GitFailed as error:
        rest = await commit_files(clone, message, error)
    return _with_repairs(mended, rest, read_loss(clone.path))


async def commit_files(clone: Clone, message: str, error: GitFailed) -> CommittedRound:
    """Commit the files as they lie, after git could not work with what the clone has of history."""
    require_project(clone)
    # Elsewhere than on the branch, the files need not be what the branch had.
    if not _is_on_branch(clone):
        note_loss(clone.path, "the workspace's history was damaged")
    remark = await replace_git_dir(clone, f"git could not work with it: {error.message}")
    rest = await _commit_left_work(clone, message)
    return _with_repairs(CloneRepair((remark,)), rest, read_loss(clone.path))


def _with_repairs(mended: CloneRepair, rest: CommittedRound, noted: str) -> CommittedRound:
    remarks = (*mended.remarks, *rest.remarks)
    return replace(rest, remarks=remarks, lost=mended.lost or noted or rest.lost)


async def _commit_left_work(clone: Clone, message: str) -> CommittedRound:
    git = agent_git(clone)
    with agent_index(clone) as index:
        seen, remarks = await _inspect(git, clone, index)
        match classify_clone(seen):
            case CleanClone(tip, left_out):
                return CommittedRound(tip.commit, left_out=left_out, remarks=remarks)
            case UncommittedChanges() as left:
                made, tree = await _commit_on_tip(git, clone, index, left, message)
                return CommittedRound(
                    made or left.tip.commit,
                    commit=made,
                    on_top_of=left.tip.commit if made and not left.staged else None,
                    tree=tree,
                    files=left.changed.present,
                    gone=left.changed.gone,
                    left_out=left.changed.left_out,
                    remarks=remarks,
                )
            case UnusualState():
                return await salvage(git, clone, message)
            case unreachable:
                assert_never(unreachable)


async def _inspect(git: Git, clone: Clone, index: Path) -> tuple[CloneState, tuple[str, ...]]:
    """The clone at first sight, and what there is to tell about it if it is not odd."""
    refs, status = await run_together(
        git.try_run(*REFS_COMMAND, clone.ref, STASH_REF),
        git.with_index(index).try_run(*STATUS_COMMAND),
    )
    remarks = (STASH_REMARK,) if STASH_REF in ref_names(refs.output) else ()
    return _clone_state(clone, index, refs, status), remarks


def _clone_state(clone: Clone, index: Path, refs: GitResult, status: GitResult) -> CloneState:
    # Without an index git would take every file for deleted.
    told = status.ok and os.access(index, os.R_OK)
    return CloneState(
        on_branch=_is_on_branch(clone),
        unfinished=any(os.path.lexists(clone.git_dir / name) for name in OPERATION_FILES),
        tip=read_tip(refs.output, clone.ref) if refs.ok else None,
        status=read_status(status.output) if told else None,
    )


def _is_on_branch(clone: Clone) -> bool:
    return (clone.git_dir / "HEAD").read_bytes() == f"ref: {clone.ref}\n".encode()


async def _commit_on_tip(
    git: Git, clone: Clone, index: Path, left: UncommittedChanges, message: str
) -> tuple[str | None, str]:
    """The commit and its tree; no commit if a call that was cut had made it already and only the
    index is old."""
    tree = await write_changed_paths(git, index, left.changed)
    made = None
    if tree != left.tip.tree:
        made = await commit_work(git, clone, tree, parents=(left.tip.commit,), message=message)
        await git.run(*ref_move(clone.ref, made, from_=left.tip.commit))
    copy_index(index, clone.git_dir / "index")
    return made, tree
