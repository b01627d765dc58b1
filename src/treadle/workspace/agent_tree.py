"""The only way the host runs git in a tree that an agent could write to.

Before each use the git directory is mended: settings, hooks and borrowed objects are Treadle's
again, so git reads nothing there that could start a program. Call it between sessions only.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from treadle.workspace.clone_git_dir import (
    Clone,
    agent_environment,
    restore_git_dir,
    write_empty_clone,
)
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.disk_tree import private_index
from treadle.workspace.git import QUIET_OPTIONS, Git
from treadle.workspace.hostile_files import (
    find_pipes,
    is_too_deep,
    restore_permissions,
    walk_folders,
)
from treadle.workspace.index_marks import clear_marks
from treadle.workspace.round_losses import EMPTIED, note_loss

_HARDENED_OPTIONS = (
    # It repeats what commits say, and is believed instead of them.
    "-c", "core.commitGraph=false",
    "-c", "core.attributesFile=/dev/null",
    "-c", "core.sshCommand=false",
    "-c", "core.editor=false",
    "-c", "credential.helper=",
    "-c", "protocol.allow=never",
    "-c", "protocol.file.allow=always",
)  # fmt: skip

# Files that would bring in settings, objects or history from elsewhere.
_FOREIGN_FILES = (
    *("commondir", "config.worktree", "info/attributes", "info/grafts"),
    *("objects/info/commit-graph", "objects/info/commit-graphs"),
)

_KINDS = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe"}


def agent_git(clone: Clone) -> Git:
    """Git in a mended clone; it never looks for a repository anywhere else."""
    return Git(
        clone.path,
        agent_environment(clone.project.git.environment),
        options=(
            f"--git-dir={clone.git_dir}",
            f"--work-tree={clone.path}",
            *QUIET_OPTIONS,
            *_HARDENED_OPTIONS,
        ),
    )


def agent_index(clone: Clone) -> AbstractContextManager[Path]:
    """A copy of the clone's index, by which git passes over no file: an agent may have marked some
    so that their changes are in no commit."""
    unmarked = partial(clear_marks, hash_bytes=len(clone.base) // 2)
    return private_index(clone.git_dir / "index", unmarked)


async def build_clone(clone: Clone) -> None:
    """Make a clone beside its place and move it there in one step: all of it, or nothing."""
    building = replace(clone, path=clone.path.with_name(clone.path.name + ".building"))
    await write_empty_clone(building, building.path)
    await agent_git(building).run("read-tree", "--reset", "-u", "HEAD")
    _put_in_place(building.path, clone.path)


def _put_in_place(building: Path, path: Path) -> None:
    if path.is_dir():
        path.rmdir()
    building.rename(path)


@dataclass(frozen=True, slots=True)
class CloneRepair:
    """What there is to tell, and why files are gone, if they are."""

    remarks: tuple[str, ...] = ()
    lost: str = ""


async def repair_clone(clone: Clone) -> CloneRepair:
    """Make the clone's git directory safe to use; says what could not be mended.

    A git directory that is beyond it is moved beside the clone, never deleted, and a fresh one
    takes its place; the files stay, so the work in them is still there to be committed.
    """
    with writing_to(clone.path):
        restore_permissions(clone.path, clone.git_dir)
        told = _remove_pipes(clone)
        reason = find_damage(clone.git_dir)
        if reason is None:
            _repair_git_dir(clone)
            return CloneRepair(told)
        if _has_files(clone):
            return CloneRepair((*told, await replace_git_dir(clone, reason)))
        if clone.path.is_dir():
            note_loss(clone.path, EMPTIED)
        _move_aside(clone.git_dir, clone)
        await build_clone(clone)
    remark = f"The workspace was made anew from the last import, because {reason}."
    return CloneRepair((*told, remark), lost=EMPTIED)


async def replace_git_dir(clone: Clone, reason: str) -> str:
    """Put a fresh git directory in place of the one that is there; says so."""
    with writing_to(clone.path):
        # Made before the old one is moved: where git itself fails, nothing is taken apart.
        skeleton = clone.path.with_name(clone.path.name + ".skeleton")
        await write_empty_clone(clone, skeleton)
        _move_aside(clone.git_dir, clone)
        (skeleton / ".git").rename(clone.git_dir)
        skeleton.rmdir()
    return f"The workspace got a fresh git directory, because {reason}."


def find_damage(git_dir: Path) -> str | None:
    """Why a git directory cannot be used, or None: links lead anywhere, and pipes never end."""
    if git_dir.is_symlink() or not git_dir.is_dir():
        return "its .git is gone" if not os.path.lexists(git_dir) else "its .git is no directory"
    for name in ("objects", "refs", "info", "objects/info"):
        if not (git_dir / name).is_dir() and (
            name in ("objects", "refs") or os.path.lexists(git_dir / name)
        ):
            return f"its .git/{name} is no directory"
    for entry in _entries(git_dir):
        if is_too_deep(entry.path):
            return "its .git is deeper than git can follow"
        if kind := _kind(entry):
            return f"its .git/{os.path.relpath(entry, git_dir)} is {kind}"
    return None


def _entries(top: Path) -> "Iterator[os.DirEntry[str]]":
    """All that is below. The list of a directory tells what most of its entries are; one that may
    not be listed is for git to complain of."""
    for _, entries in walk_folders(str(top)):
        yield from entries


def _kind(entry: "os.DirEntry[str]") -> str | None:
    if entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False):
        return None
    return _KINDS.get(stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode))


def _repair_git_dir(clone: Clone) -> None:
    git_dir = clone.git_dir
    for name in _FOREIGN_FILES:
        remove(git_dir / name)
    restore_git_dir(clone, git_dir)
    # The processes that took these locks have ended with their session.
    with os.scandir(git_dir) as found:
        files = [*found, *_entries(git_dir / "refs")]
    for lock in files:
        if lock.name.endswith(".lock"):
            remove(Path(lock.path))
    _repair_head(clone)


def _repair_head(clone: Clone) -> None:
    head = clone.git_dir / "HEAD"
    if not head.is_file():
        remove(head)
    said = head.read_bytes() if head.exists() else b""
    if not said.startswith(b"ref: refs/") and len(said.strip()) not in (40, 64):
        remove(head)
        head.write_text(f"ref: {clone.ref}\n")


def _has_files(clone: Clone) -> bool:
    """Is anything there besides a git directory?"""
    return clone.path.is_dir() and any(path.name != ".git" for path in clone.path.iterdir())


def _remove_pipes(clone: Clone) -> tuple[str, ...]:
    told = []
    for path in list(find_pipes(clone.path)):
        _move_aside(path, clone)
        name = path.relative_to(clone.path)
        told.append(f"{name} was taken out of the workspace: it is a pipe, and git would wait.")
    return tuple(told)


def _move_aside(path: Path, clone: Clone) -> None:
    """Beside the clone, never deleted: a person may want to look at it."""
    if not os.path.lexists(path):
        return
    number = 1
    while os.path.lexists(clone.path.with_name(f"{clone.path.name}.damaged-{number}")):
        number += 1
    path.rename(clone.path.with_name(f"{clone.path.name}.damaged-{number}"))
