"""Writes the files on disk as a git tree, without touching the checkout's own index.

Used for the user's checkout and for the agent's alike. Only git's plumbing runs, file by file, so
that a repository nested in the checkout is never entered and none of its filters is started.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.suite_report import REPORTS_FOLDER
from treadle.workspace.disk import writing_to
from treadle.workspace.git import Git
from treadle.workspace.temporary_folders import scratch_folder

NOTES_FILE = ".treadle-notes.md"
PRIVATE_FOLDER = ".treadle"  # Treadle's own files in the project; they are never part of the work

SUBMODULE_MODE = "160000"
PLAIN_INDEX = ("-c", "core.splitIndex=false", "-c", "core.untrackedCache=false")


@dataclass(frozen=True, slots=True)
class DiskTree:
    """A tree, and the nested repositories that could not become part of it."""

    tree: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedPaths:
    """Paths on disk that an index does not know as they are now."""

    gone: tuple[str, ...]
    present: tuple[str, ...]
    left_out: tuple[str, ...]


def changed_paths(tracked: str, untracked: str) -> ChangedPaths:
    """Reads `diff-files --raw -z` and `ls-files --others -z`; Treadle's own files are no change."""
    fields = tracked.split("\0")
    gone: dict[str, None] = {}
    present: dict[str, None] = {}
    for entry, path in zip(fields[0::2], fields[1::2], strict=False):
        mode, status = entry[1:7], entry[-1]
        if mode == SUBMODULE_MODE or is_private(path):
            continue
        (gone if status == "D" else present)[path] = None
    others = [path for path in untracked.split("\0") if path and not is_private(path)]
    present.update((path, None) for path in others if not path.endswith("/"))
    nested = tuple(path for path in others if path.endswith("/"))
    return ChangedPaths(tuple(path for path in gone if path not in present), tuple(present), nested)


def is_private(path: str) -> bool:
    """Does this path (from the root of the checkout) belong to Treadle rather than the user?"""
    parts = path.split("/")
    return (
        path in (NOTES_FILE, PRIVATE_FOLDER)
        or parts[0] == PRIVATE_FOLDER
        or REPORTS_FOLDER in parts[:-1]
    )


async def write_disk_tree(git: Git, index: Path) -> DiskTree:
    """Bring a private index up to what is on disk and write its tree; blobs go to the store."""
    through = git.with_index(index)
    changed = changed_paths(
        await through.run(
            *PLAIN_INDEX, "diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=all"
        ),
        await through.run(*PLAIN_INDEX, "ls-files", "--others", "--exclude-standard", "-z"),
    )
    return DiskTree(await write_changed_paths(git, index, changed), changed.left_out)


async def write_changed_paths(git: Git, index: Path, changed: ChangedPaths) -> str:
    """Take these paths from disk into a private index and write its tree."""
    through = git.with_index(index)
    root = git.directory
    special = [path for path in changed.present if not _can_be_tracked(root, path)]
    # What we may not read stays as the index has it; a file we cannot look into is no change.
    readable = [
        path for path in changed.present if _can_be_tracked(root, path) and _is_readable(root, path)
    ]
    # Removals first: a directory may have become a file of the same name, or the other way round.
    await _update(through, [*changed.gone, *special], "--force-remove")
    await _update(through, readable, "--add", "--remove")
    return await through.run(*PLAIN_INDEX, "write-tree")


async def _update(git: Git, paths: list[str], *how: str) -> None:
    if paths:
        listing = b"".join(os.fsencode(path) + b"\0" for path in paths)
        await git.run(*PLAIN_INDEX, "update-index", *how, "-z", "--stdin", stdin=listing)


def _can_be_tracked(root: Path, path: str) -> bool:
    """Pipes, sockets and devices cannot; what vanished meanwhile is git's to notice."""
    try:
        mode = (root / path).lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return True
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _is_readable(root: Path, path: str) -> bool:
    place = root / path
    return place.is_symlink() or not place.exists() or os.access(place, os.R_OK)


@contextmanager
def private_index(
    source: Path, change: Callable[[bytes], bytes] = lambda index: index
) -> Iterator[Path]:
    """A copy of an index that git may write to; a missing one is left missing."""
    with scratch_folder() as folder:
        copy = folder / "index"
        copy_index(source, copy, change)
        yield copy


def copy_index(
    source: Path, target: Path, change: Callable[[bytes], bytes] = lambda index: index
) -> None:
    """Replace `target` by `source` in one step, with its time: git tells by it which files it must
    look into again."""
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    with os.fdopen(descriptor, "rb") as opened:
        taken = change(opened.read())
        written = os.fstat(opened.fileno()).st_mtime_ns
    with writing_to(target):
        fresh = target.with_name(target.name + ".treadle")
        fresh.unlink(missing_ok=True)
        fresh.write_bytes(taken)
        os.utime(fresh, ns=(written, written))
        fresh.replace(target)
