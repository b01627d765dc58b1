"""Gives the owner's rights back to a clone that an agent took them from: git needs them."""

import os
import stat
from pathlib import Path

from treadle.workspace.walking import folders_below


def give_back_rights(top: Path, git_dir: Path) -> None:
    """Of a clone's top, of its git directory and of all that is in there; no link is followed."""
    for path in (top, git_dir):
        if path.is_dir() and not path.is_symlink():
            _allow(str(path), path.stat().st_mode)
    if git_dir.is_symlink() or not git_dir.is_dir():
        return
    for _, entries in folders_below(str(git_dir)):
        # Before the walk goes on into them.
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False):
                _allow(entry.path, entry.stat(follow_symlinks=False).st_mode)


def _allow(path: str, mode: int) -> None:
    """Files of git's are only ever read, or replaced."""
    needed = stat.S_IRWXU if stat.S_ISDIR(mode) else stat.S_IRUSR
    if mode & needed != needed:
        os.chmod(path, stat.S_IMODE(mode) | needed)  # noqa: PTH101  a Path per file would be slow
