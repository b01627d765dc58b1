"""Runs git on the host in a tree that an agent can write to. No other module does.

Before each use the git directory is repaired: its settings, hooks and alternates are restored, so
git reads nothing there that could start a program. Use it between sessions only.
"""

import asyncio
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
from treadle.workspace.external_files import SUBMODULES_FILE, copy_submodules
from treadle.workspace.git import QUIET_OPTIONS, Git
from treadle.workspace.hostile_files import (
    find_pipes,
    is_too_deep,
    read_start,
    restore_permissions,
    walk_folders,
)
from treadle.workspace.index_marks import clear_marks
from treadle.workspace.round_losses import EMPTIED, note_loss
from treadle.workspace.tree_entries import ReadableTree

LEAST_MEMORY = 3 << 30
# Of a file that holds the name of a ref.
LONGEST_HEAD = 4096
HARDENED_OPTIONS = (
    # Git trusts the commit graph more than the commits themselves.
    "-c", "core.commitGraph=false",
    # Larger files are streamed.
    "-c", "core.bigFileThreshold=32m",
    "-c", "core.attributesFile=/dev/null",
    "-c", "core.sshCommand=false",
    "-c", "core.editor=false",
    "-c", "credential.helper=",
    "-c", "protocol.allow=never",
    "-c", "protocol.file.allow=always",
)  # fmt: skip

# Files that would add foreign settings, objects or history.
_FOREIGN_FILES = (
    *("commondir", "config.worktree", "info/attributes", "info/grafts"),
    *("objects/info/commit-graph", "objects/info/commit-graphs"),
)

# Kept beside the clone, and named.
_MOST_PIPES = 20
_KINDS = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe"}


def agent_git(clone: Clone) -> Git:
    """Git in a repaired clone; it never searches for a repository elsewhere."""
    return Git(
        clone.path,
        agent_environment(clone.project.git.environment),
        options=(
            f"--git-dir={clone.git_dir}",
            f"--work-tree={clone.path}",
            *QUIET_OPTIONS,
            *HARDENED_OPTIONS,
        ),
        limit_s=clone.project.git.limit_s,
        program=clone.project.git.program,
        memory_bytes=git_memory(clone),
    )


def git_memory(clone: Clone) -> int:
    """How much memory git may take for an agent's objects: of few bytes it can make a tree that has
    any number of paths. An index takes several times its size."""
    try:
        index_bytes = (clone.project.git_dir / "index").stat().st_size
    except OSError:
        index_bytes = 0
    return LEAST_MEMORY + 10 * index_bytes


def agent_index(clone: Clone) -> AbstractContextManager[Path]:
    """A copy of the clone's index without the flags that make git skip files.

    An agent may have set them to keep changes out of every commit.
    """
    unmarked = partial(clear_marks, hash_bytes=len(clone.base) // 2)
    return private_index(clone.git_dir / "index", unmarked)


async def build_clone(clone: Clone) -> None:
    """Build a clone beside its path and move it there in one step, so it is never incomplete."""
    building = replace(clone, path=clone.path.with_name(clone.path.name + ".building"))
    await write_empty_clone(building, building.path)
    git = agent_git(building)
    await git.run("read-tree", "--reset", "-u", "HEAD")
    if (building.path / SUBMODULES_FILE).is_file():
        entries = await ReadableTree("HEAD", git).entries()
        await copy_submodules(clone.project, entries, building.path)
    _move_into_place(building.path, clone.path)


def _move_into_place(building: Path, path: Path) -> None:
    if path.is_dir():
        path.rmdir()
    building.rename(path)


@dataclass(frozen=True, slots=True)
class CloneRepair:
    """Remarks for the user, and why files are lost, if they are."""

    remarks: tuple[str, ...] = ()
    lost: str = ""


async def repair_clone(clone: Clone) -> CloneRepair:
    """Make the clone's git directory safe to use, and describe what could not be repaired.

    A git directory beyond repair is moved beside the clone, never deleted, and replaced by a new
    one. The files stay, so their work can still be committed.
    """
    with writing_to(clone.path):
        # In a thread: an agent may have made millions of files, and a run must still be stopped.
        remarks, reason = await asyncio.to_thread(_repair_in_place, clone)
        if reason is None:
            return CloneRepair(remarks)
        if _has_files(clone):
            return CloneRepair((*remarks, await replace_git_dir(clone, reason)))
        if clone.path.is_dir():
            note_loss(clone.path, EMPTIED)
        _move_aside(clone.git_dir, clone)
        await build_clone(clone)
    remark = f"The workspace was recreated from the last import, because {reason}."
    return CloneRepair((*remarks, remark), lost=EMPTIED)


def _repair_in_place(clone: Clone) -> tuple[tuple[str, ...], str | None]:
    """Remarks, and why the git directory cannot be repaired, if it cannot."""
    restore_permissions(clone.path, clone.git_dir)
    remarks = _remove_pipes(clone)
    reason = find_damage(clone.git_dir)
    if reason is None:
        _repair_git_dir(clone)
    return remarks, reason


async def replace_git_dir(clone: Clone, reason: str) -> str:
    """Replace the git directory by a new one; returns the remark about it."""
    with writing_to(clone.path):
        # Built before the old one is moved: if git fails, nothing has changed.
        skeleton = clone.path.with_name(clone.path.name + ".skeleton")
        await write_empty_clone(clone, skeleton)
        _move_aside(clone.git_dir, clone)
        (skeleton / ".git").rename(clone.git_dir)
        skeleton.rmdir()
    return f"The workspace got a fresh git directory, because {reason}."


def find_damage(git_dir: Path) -> str | None:
    """Why a git directory cannot be used, or None: links lead outside, and pipes block git."""
    if git_dir.is_symlink() or not git_dir.is_dir():
        return "its .git is gone" if not os.path.lexists(git_dir) else "its .git is not a directory"
    for name in ("objects", "refs", "info", "objects/info"):
        if not (git_dir / name).is_dir() and (
            name in ("objects", "refs") or os.path.lexists(git_dir / name)
        ):
            return f"its .git/{name} is not a directory"
    for entry in _entries(git_dir):
        if is_too_deep(entry.path):
            return "its .git is deeper than git can follow"
        if kind := _kind(entry):
            return f"its .git/{os.path.relpath(entry, git_dir)} is {kind}"
    return None


def _entries(top: Path) -> "Iterator[os.DirEntry[str]]":
    """All entries below; git itself reports a directory that cannot be listed."""
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
    _remove_pack_side_files(git_dir / "objects/pack")
    restore_git_dir(clone, git_dir)
    # The processes that took these locks have ended with their session.
    with os.scandir(git_dir) as entries:
        files = [*entries, *_entries(git_dir / "refs")]
    for lock in files:
        if lock.name.endswith(".lock"):
            remove(Path(lock.path))
    _repair_head(clone)


def _remove_pack_side_files(folder: Path) -> None:
    """Remove bitmaps, reverse indexes and the like: git believes them more than the objects."""
    if folder.is_dir():
        for path in folder.iterdir():
            if path.suffix not in (".pack", ".idx"):
                remove(path)


def _repair_head(clone: Clone) -> None:
    head = clone.git_dir / "HEAD"
    if not head.is_file():
        remove(head)
    content = read_start(head, LONGEST_HEAD) or b""
    is_ref = content.startswith(b"ref: refs/") and len(content) < LONGEST_HEAD
    if not is_ref and len(content.strip()) not in (40, 64):
        remove(head)
        head.write_text(f"ref: {clone.ref}\n")


def _has_files(clone: Clone) -> bool:
    """Whether the clone contains anything besides its git directory."""
    return clone.path.is_dir() and any(path.name != ".git" for path in clone.path.iterdir())


def _remove_pipes(clone: Clone) -> tuple[str, ...]:
    """Move pipes into one folder beside the clone. There is nothing in a pipe, so that of very
    many only some are kept: an agent may have made as many as the disk has room for."""
    names: list[str] = []
    removed = 0
    aside = clone.path
    for path in find_pipes(clone.path):
        name = str(path.relative_to(clone.path))
        removed += 1
        if len(names) == _MOST_PIPES:
            path.unlink()
            continue
        if not names:
            aside = _free_path(clone)
            aside.mkdir()
        path.rename(aside / str(removed))
        names.append(name)
    if not removed:
        return ()
    more = f" and {removed - len(names)} more" if removed > len(names) else ""
    what = "it is a pipe" if removed == 1 else "they are pipes"
    was = "was" if removed == 1 else "were"
    listed = ", ".join(names)
    return (f"{listed}{more} {was} taken out of the workspace: {what}, and git would wait.",)


def _move_aside(path: Path, clone: Clone) -> None:
    """Move a path beside the clone; a person may want to inspect it."""
    if os.path.lexists(path):
        path.rename(_free_path(clone))


def _free_path(clone: Clone) -> Path:
    """Where something is moved beside the clone; at most twice for each look at it."""
    number = 1
    while os.path.lexists(clone.path.with_name(f"{clone.path.name}.damaged-{number}")):
        number += 1
    return clone.path.with_name(f"{clone.path.name}.damaged-{number}")
