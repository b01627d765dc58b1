"""Commits what an agent left in its clone: at once, or after a closer look if anything is odd."""

import os
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from treadle.workspace.agent_tree import Mended, agent_git, agents_index, mend, renew
from treadle.workspace.backups import ref_move
from treadle.workspace.contents import copy_index, write_changed
from treadle.workspace.git import Git, GitFailed, Ran, together
from treadle.workspace.leftovers import Clean, Seen, Uncommitted, Unusual, decide_course
from treadle.workspace.losses import note_if_gone, note_loss, noted_loss
from treadle.workspace.salvage import STASH, STASHED, UNFINISHED, Rest, commit_work, salvage
from treadle.workspace.skeleton import Clone, check_present
from treadle.workspace.status import REFS, STATUS, names_in, read_status, read_tip

__all__ = ["Rest", "commit_files", "commit_rest"]


async def commit_rest(clone: Clone, message: str) -> Rest:
    """Commit what is uncommitted and see that HEAD is the run's branch, with everything on it.

    Objects come first, then refs, then HEAD and index: cut anywhere, a second call ends the same.
    """
    check_present(clone)
    note_if_gone(clone.path)
    mended = await mend(clone)
    try:
        rest = await _committed(clone, message)
    except GitFailed as error:
        rest = await commit_files(clone, message, error)
    return _after(mended, rest, noted_loss(clone.path))


async def commit_files(clone: Clone, message: str, error: GitFailed) -> Rest:
    """Commit the files as they lie, after git could not work with what the clone has of history."""
    check_present(clone)
    # Elsewhere than on the branch, the files need not be what the branch had.
    if not _on_branch(clone):
        note_loss(clone.path, "the workspace's history was damaged")
    remark = await renew(clone, f"git could not work with it: {error.message}")
    rest = await _committed(clone, message)
    return _after(Mended((remark,)), rest, noted_loss(clone.path))


def _after(mended: Mended, rest: Rest, noted: str) -> Rest:
    remarks = (*mended.remarks, *rest.remarks)
    return replace(rest, remarks=remarks, lost=mended.lost or noted or rest.lost)


async def _committed(clone: Clone, message: str) -> Rest:
    git = agent_git(clone)
    with agents_index(clone) as index:
        seen, remarks = await _look(git, clone, index)
        match decide_course(seen):
            case Clean(tip, left_out):
                return Rest(tip.commit, left_out=left_out, remarks=remarks)
            case Uncommitted() as left:
                made, tree = await _commit_on_tip(git, clone, index, left, message)
                return Rest(
                    made or left.tip.commit,
                    commit=made,
                    on_top_of=left.tip.commit if made and not left.staged else None,
                    tree=tree,
                    files=left.changed.present,
                    gone=left.changed.gone,
                    left_out=left.changed.left_out,
                    remarks=remarks,
                )
            case Unusual():
                return await salvage(git, clone, message)
            case unreachable:
                assert_never(unreachable)


async def _look(git: Git, clone: Clone, index: Path) -> tuple[Seen, tuple[str, ...]]:
    """The clone at first sight, and what there is to tell about it if it is not odd."""
    refs, status = await together(
        git.try_run(*REFS, clone.ref, STASH), git.indexed_by(index).try_run(*STATUS)
    )
    remarks = (STASHED,) if STASH in names_in(refs.output) else ()
    return _first_sight(clone, index, refs, status), remarks


def _first_sight(clone: Clone, index: Path, refs: Ran, status: Ran) -> Seen:
    # Without an index git would take every file for deleted.
    told = status.ok and os.access(index, os.R_OK)
    return Seen(
        on_branch=_on_branch(clone),
        unfinished=any(os.path.lexists(clone.git_dir / name) for name in UNFINISHED),
        tip=read_tip(refs.output, clone.ref) if refs.ok else None,
        status=read_status(status.output) if told else None,
    )


def _on_branch(clone: Clone) -> bool:
    return (clone.git_dir / "HEAD").read_bytes() == f"ref: {clone.ref}\n".encode()


async def _commit_on_tip(
    git: Git, clone: Clone, index: Path, left: Uncommitted, message: str
) -> tuple[str | None, str]:
    """The commit and its tree; no commit if a call that was cut had made it already and only the
    index is old."""
    tree = await write_changed(git, index, left.changed)
    made = None
    if tree != left.tip.tree:
        made = await commit_work(git, clone, tree, parents=(left.tip.commit,), message=message)
        await git.run(*ref_move(clone.ref, made, from_=left.tip.commit))
    copy_index(index, clone.git_dir / "index")
    return made, tree
