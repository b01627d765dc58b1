"""Walks, repairs and removes folders that an agent wrote, at any depth."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

# Git, like most programs, accepts paths of at most 4096 bytes including the file name. Deeper
# files cannot be committed.
LONGEST_PATH = 3800
# Of one directory at a time.
MOST_ENTRIES = 10_000


def is_too_deep(folder: str) -> bool:
    """Whether the path is too long for git."""
    return len(os.fsencode(folder)) > LONGEST_PATH


def walk_folders(top: str) -> "Iterator[tuple[str, list[os.DirEntry[str]]]]":
    """Each directory with its entries, without those that are too deep or not listable; one with
    very many comes several times, because an agent may have made millions.

    A caller that removes entries from the list skips what is below them.
    """
    pending = [top]
    while pending:
        folder = pending.pop()
        for entries in _list_entries(folder):
            yield folder, entries
            inner = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            pending += [path for path in inner if not is_too_deep(path)]


def _list_entries(folder: str) -> "Iterator[list[os.DirEntry[str]]]":
    with suppress(OSError), os.scandir(folder) as scan:
        while entries := list(islice(scan, MOST_ENTRIES)):
            yield entries


def read_start(path: Path, most: int) -> bytes | None:
    """The first bytes of a plain file; None if there is none. A link is not followed, and a pipe
    not waited for."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(path, flags)
    except OSError:
        return None
    # First: a folder cannot be opened as a file.
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWNER_RIGHTS = stat.S_IRWXU


def remove_tree(path: Path) -> None:
    """Remove a directory with its contents; links are removed, not their targets."""
    parent = os.open(path.parent, _FOLDER & ~os.O_NOFOLLOW)
    try:
        top = _open_folder(path.name, parent)
        try:
            _remove_contents(top)
        finally:
            os.close(top)
        os.rmdir(path.name, dir_fd=parent)
    finally:
        os.close(parent)


def _remove_contents(top: int) -> None:
    prefix, count = f".removed-{secrets.token_hex(8)}", 0
    pending = _remove_files(top)
    while pending:
        name = pending.pop()
        folder = _open_folder(name, top)
        try:
            for inner in _remove_files(folder):
                new_name, count = f"{prefix}-{count}", count + 1
                # Opening it restores the write permission that moving it requires.
                os.close(_open_folder(inner, folder))
                os.rename(inner, new_name, src_dir_fd=folder, dst_dir_fd=top)
                pending.append(new_name)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)


def _remove_files(folder: int) -> list[str]:
    """Remove everything but directories; returns the names of the directories."""
    with os.scandir(folder) as scan:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in scan]
    for name, is_folder in entries:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in entries if is_folder]


def _open_folder(name: str, parent: int) -> int:
    """Open a folder, after restoring its owner's permissions."""
    status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode) and status.st_mode & _OWNER_RIGHTS != _OWNER_RIGHTS:
        os.chmod(name, stat.S_IMODE(status.st_mode) | _OWNER_RIGHTS, dir_fd=parent)
    return os.open(name, _FOLDER, dir_fd=parent)


def restore_permissions(top: Path, git_dir: Path) -> None:
    """Restore the owner's permissions on a clone's root and git directory; follows no link."""
    for path in (top, git_dir):
        if path.is_dir() and not path.is_symlink():
            _add_owner_rights(str(path), path.stat().st_mode)
    if git_dir.is_symlink() or not git_dir.is_dir():
        return
    for _, entries in walk_folders(str(git_dir)):
        # Before the walk descends into them.
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False):
                _add_owner_rights(entry.path, entry.stat(follow_symlinks=False).st_mode)


def _add_owner_rights(path: str, mode: int) -> None:
    """Files need no write permission: git only reads or replaces them."""
    needed = stat.S_IRWXU if stat.S_ISDIR(mode) else stat.S_IRUSR
    if mode & needed != needed:
        os.chmod(path, stat.S_IMODE(mode) | needed)  # noqa: PTH101  a Path per file would be slow


_GIT_SETTINGS = frozenset({".gitattributes", ".gitignore", ".gitmodules"})

# Git reads these to decide whether a directory is a repository.
_REPOSITORY_FILES = frozenset({"HEAD", "commondir", "config"})


def find_pipes(root: Path) -> Iterator[Path]:
    """Pipes in a checkout that git would read; its own git directory is skipped."""
    for folder, entries in walk_folders(str(root)):
        names = _GIT_SETTINGS
        if os.path.basename(folder) == ".git":  # noqa: PTH119  a Path per folder would be slow
            names = _REPOSITORY_FILES
        paths = [entry.path for entry in entries if entry.name in names]
        if names is _REPOSITORY_FILES:
            entries.clear()
        elif folder == str(root):
            entries[:] = [entry for entry in entries if entry.name != ".git"]
        for path in paths:
            if _is_pipe(Path(path)):
                yield Path(path)


def _is_pipe(path: Path) -> bool:
    """Whether the path is a pipe or a link to one: some versions of git follow links."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        # A broken link, or a target without permission.
        return False
