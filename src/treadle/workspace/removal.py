"""Removes a directory that an agent filled: however deep it is, and whatever it may not be asked.

Nothing here goes by a long path or calls itself: a directory that is found in another is moved to
the top first, so that none is ever more than one step away.
"""

import os
import secrets
import stat
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWNERS = stat.S_IRWXU


def remove_tree(path: Path) -> None:
    """All of a directory; a link in it goes, not what it points to."""
    above = os.open(path.parent, _FOLDER & ~os.O_NOFOLLOW)
    try:
        top = _opened(path.name, above)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(path.name, dir_fd=above)
    finally:
        os.close(above)


def _empty(top: int) -> None:
    mark, moved = f".removed-{secrets.token_hex(8)}", 0
    unseen = _without_files(top)
    while unseen:
        name = unseen.pop()
        folder = _opened(name, top)
        try:
            for inner in _without_files(folder):
                fresh, moved = f"{mark}-{moved}", moved + 1
                # It can only be moved by one who may write in it.
                os.close(_opened(inner, folder))
                os.rename(inner, fresh, src_dir_fd=folder, dst_dir_fd=top)
                unseen.append(fresh)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)


def _without_files(folder: int) -> list[str]:
    """Removes what is no directory; the names of the directories."""
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in entries if is_folder]


def _opened(name: str, above: int) -> int:
    """With its owner's rights back, if they were taken from it."""
    found = os.stat(name, dir_fd=above, follow_symlinks=False)
    if stat.S_ISDIR(found.st_mode) and found.st_mode & _OWNERS != _OWNERS:
        os.chmod(name, stat.S_IMODE(found.st_mode) | _OWNERS, dir_fd=above)
    return os.open(name, _FOLDER, dir_fd=above)
