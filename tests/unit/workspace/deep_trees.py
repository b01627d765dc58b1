"""Directories deeper than any path, as an agent can make them."""

import os
from pathlib import Path

DEEP = 3000


def dig(top: Path, depth: int = DEEP) -> None:
    """Step by step: no path is so long."""
    folder = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=folder)
        above, folder = folder, os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(above)
    os.symlink("/", "root", dir_fd=folder)
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=folder))
    os.close(folder)
