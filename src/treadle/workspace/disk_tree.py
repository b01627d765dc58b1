"""Writes the files on disk as a git tree, without touching the checkout's own index.

Used for the user's checkout and for the agent's. Only git's plumbing commands run, with explicit
paths, so git never enters a nested repository. In the user's checkout git passes changed files
through the user's own clean filters, as `git add` does; in an agent's there are none.
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
PRIVATE_FOLDER = ".treadle"  # Treadle's own files in the project, which are never committed

SUBMODULE_MODE = "160000"
# An index has about 100 bytes for each file.
LARGEST_INDEX = 256 << 20
PLAIN_INDEX = ("-c", "core.splitIndex=false", "-c", "core.untrackedCache=false")


@dataclass(frozen=True, slots=True)
class DiskTree:
    """A tree, and the nested repositories that it cannot contain."""

    tree: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedPaths:
    """Paths on disk that differ from the index."""

    removed: tuple[str, ...]
    present: tuple[str, ...]
    left_out: tuple[str, ...]
    untracked: tuple[str, ...] = ()  # those of `present` that the index does not have


def changed_paths(tracked: str, untracked: str) -> ChangedPaths:
    """Parse `diff-files --raw -z` and `ls-files --others -z`, without Treadle's own files."""
    fields = tracked.split("\0")
    removed: dict[str, None] = {}
    present: dict[str, None] = {}
    for entry, path in zip(fields[0::2], fields[1::2], strict=False):
        mode, status = entry[1:7], entry[-1]
        if mode == SUBMODULE_MODE or is_private(path):
            continue
        (removed if status == "D" else present)[path] = None
    others = [path for path in untracked.split("\0") if path and not is_private(path)]
    new = tuple(path for path in others if not path.endswith("/"))
    present.update(dict.fromkeys(new))
    nested = tuple(path for path in others if path.endswith("/"))
    return ChangedPaths(
        tuple(path for path in removed if path not in present), tuple(present), nested, new
    )


def is_private(path: str) -> bool:
    """Whether this path, relative to the checkout's root, belongs to Treadle."""
    parts = path.split("/")
    return (
        path in (NOTES_FILE, PRIVATE_FOLDER)
        or parts[0] == PRIVATE_FOLDER
        or REPORTS_FOLDER in parts[:-1]
    )


async def write_disk_tree(git: Git, index: Path) -> DiskTree:
    """Update a private index from disk and write its tree; blobs go to the object store."""
    changed = await find_changed_paths(git, index)
    return DiskTree(await write_changed_paths(git, index, changed), changed.left_out)


async def find_changed_paths(git: Git, index: Path) -> ChangedPaths:
    """How the files on disk differ from an index."""
    indexed_git = git.with_index(index)
    return changed_paths(
        await indexed_git.run(
            *PLAIN_INDEX, "diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=all"
        ),
        await indexed_git.run(*PLAIN_INDEX, "ls-files", "--others", "--exclude-standard", "-z"),
    )


async def write_changed_paths(git: Git, index: Path, changed: ChangedPaths) -> str:
    """Update these paths of a private index from disk and write its tree."""
    indexed_git = git.with_index(index)
    root = git.directory
    special = [path for path in changed.present if not _can_be_tracked(root, path)]
    # An unreadable file stays as the index has it.
    readable = [
        path for path in changed.present if _can_be_tracked(root, path) and _is_readable(root, path)
    ]
    # Removals first: a directory may have become a file of the same name, or the reverse.
    await _update(indexed_git, [*changed.removed, *special], "--force-remove")
    await _update(indexed_git, readable, "--add", "--remove")
    return await indexed_git.run(*PLAIN_INDEX, "write-tree")


async def _update(git: Git, paths: list[str], *how: str) -> None:
    if paths:
        listing = b"".join(os.fsencode(path) + b"\0" for path in paths)
        await git.run(*PLAIN_INDEX, "update-index", *how, "-z", "--stdin", stdin=listing)


def _can_be_tracked(root: Path, path: str) -> bool:
    """Pipes, sockets and devices cannot be tracked; git itself notices a file that vanished."""
    try:
        mode = (root / path).lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return True
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _is_readable(root: Path, path: str) -> bool:
    file = root / path
    return file.is_symlink() or not file.exists() or os.access(file, os.R_OK)


@contextmanager
def private_index(
    source: Path, change: Callable[[bytes], bytes] = lambda index: index
) -> Iterator[Path]:
    """A copy of an index for git to write to; a missing index stays missing."""
    with scratch_folder() as folder:
        copy = folder / "index"
        copy_index(source, copy, change)
        yield copy


def copy_index(
    source: Path, target: Path, change: Callable[[bytes], bytes] = lambda index: index
) -> None:
    """Replace `target` by `source` atomically; git needs the time to find stale entries.

    An index that is not a plain file, or larger than any repository has, is left out as if missing.
    """
    try:
        # Non-blocking: an agent may have put a pipe there.
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_INDEX:
            return
        content = change(file.read(status.st_size))
        modified = status.st_mtime_ns
    with writing_to(target):
        temporary = target.with_name(target.name + ".treadle")
        temporary.unlink(missing_ok=True)
        temporary.write_bytes(content)
        os.utime(temporary, ns=(modified, modified))
        temporary.replace(target)
