"""Finds pipes where git expects a file of its own among an agent's files: it would wait there."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from treadle.workspace.walking import folders_below

_SETTINGS = frozenset({".gitattributes", ".gitignore", ".gitmodules"})

# Git looks into these to tell whether a directory is a repository of its own.
_OF_A_REPOSITORY = frozenset({"HEAD", "commondir", "config"})


def pipes_among(root: Path) -> Iterator[Path]:
    """Below a checkout; its own git directory is left out."""
    for folder, entries in folders_below(str(root)):
        names = _SETTINGS
        if os.path.basename(folder) == ".git":  # noqa: PTH119  a Path per folder would be slow
            names = _OF_A_REPOSITORY
        paths = [entry.path for entry in entries if entry.name in names]
        if names is _OF_A_REPOSITORY:
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
