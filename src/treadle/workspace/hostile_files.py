"""Walks, repairs and removes folders that an agent wrote, however deep or odd they are."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# Git, like most programs, takes no path of more than 4096 bytes, with the name of a file at its
# end. What lies deeper is nothing that it could put into a commit.
LONGEST_PATH = 3800


def is_too_deep(folder: str) -> bool:
    """Is its path longer than git could take?"""
    return len(os.fsencode(folder)) > LONGEST_PATH


def walk_folders(top: str) -> "Iterator[tuple[str, list[os.DirEntry[str]]]]":
    """Each directory and what is in it, but none that is too deep or may not be listed. Whoever
    takes entries out of the list is spared what is below them."""
    unseen = [top]
    while unseen:
        folder, entries = unseen.pop(), []
        with suppress(OSError), os.scandir(folder) as found:
            entries = list(found)
        yield folder, entries
        inner = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        unseen += [path for path in inner if not is_too_deep(path)]


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWNER_RIGHTS = stat.S_IRWXU


def remove_tree(path: Path) -> None:
    """All of a directory; a link in it goes, not what it points to."""
    above = os.open(path.parent, _FOLDER & ~os.O_NOFOLLOW)
    try:
        top = _open_folder(path.name, above)
        try:
            _remove_contents(top)
        finally:
            os.close(top)
        os.rmdir(path.name, dir_fd=above)
    finally:
        os.close(above)


def _remove_contents(top: int) -> None:
    mark, moved = f".removed-{secrets.token_hex(8)}", 0
    unseen = _remove_files(top)
    while unseen:
        name = unseen.pop()
        folder = _open_folder(name, top)
        try:
            for inner in _remove_files(folder):
                fresh, moved = f"{mark}-{moved}", moved + 1
                # It can only be moved by one who may write in it.
                os.close(_open_folder(inner, folder))
                os.rename(inner, fresh, src_dir_fd=folder, dst_dir_fd=top)
                unseen.append(fresh)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)


def _remove_files(folder: int) -> list[str]:
    """Removes what is no directory; the names of the directories."""
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in entries if is_folder]


def _open_folder(name: str, above: int) -> int:
    """With its owner's rights back, if they were taken from it."""
    found = os.stat(name, dir_fd=above, follow_symlinks=False)
    if stat.S_ISDIR(found.st_mode) and found.st_mode & _OWNER_RIGHTS != _OWNER_RIGHTS:
        os.chmod(name, stat.S_IMODE(found.st_mode) | _OWNER_RIGHTS, dir_fd=above)
    return os.open(name, _FOLDER, dir_fd=above)


def restore_permissions(top: Path, git_dir: Path) -> None:
    """Of a clone's top, of its git directory and of all that is in there; no link is followed."""
    for path in (top, git_dir):
        if path.is_dir() and not path.is_symlink():
            _add_owner_rights(str(path), path.stat().st_mode)
    if git_dir.is_symlink() or not git_dir.is_dir():
        return
    for _, entries in walk_folders(str(git_dir)):
        # Before the walk goes on into them.
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False):
                _add_owner_rights(entry.path, entry.stat(follow_symlinks=False).st_mode)


def _add_owner_rights(path: str, mode: int) -> None:
    """Files of git's are only ever read, or replaced."""
    needed = stat.S_IRWXU if stat.S_ISDIR(mode) else stat.S_IRUSR
    if mode & needed != needed:
        os.chmod(path, stat.S_IMODE(mode) | needed)  # noqa: PTH101  a Path per file would be slow


_GIT_SETTINGS = frozenset({".gitattributes", ".gitignore", ".gitmodules"})

# Git looks into these to tell whether a directory is a repository of its own.
_REPOSITORY_FILES = frozenset({"HEAD", "commondir", "config"})


def find_pipes(root: Path) -> Iterator[Path]:
    """Below a checkout; its own git directory is left out."""
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
    """Behind a link, too: not every git stops at links."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        # A link to nowhere, or to where nobody may look.
        return False
