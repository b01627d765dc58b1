"""Finds the object directories behind a repository, its own and its alternates, and what of them
a run may read.

An alternate, as `git clone --reference` leaves one, has the objects of another project. A run gets
copies of those that this project needs, and nothing else of it.
"""

import os
from pathlib import Path

# Git follows alternates no deeper than this.
DEEPEST = 5


def object_directories(git_dir: Path) -> tuple[Path, ...]:
    """All object directories of a project, its own first.

    They are read from the user's repository, because an agent can write to the clone.
    """
    directories: dict[Path, None] = {}
    level = [(common_git_dir(git_dir) / "objects").resolve()]
    for _ in range(DEEPEST + 1):
        level = [objects for objects in level if objects.is_dir() and objects not in directories]
        directories.update(dict.fromkeys(level))
        level = [further for objects in level for further in _read_alternates(objects)]
    return tuple(directories)


def lent_directories(git_dir: Path, run_directory: Path) -> tuple[Path, ...]:
    """The object directories that a run may read: the project's own, and the lent objects."""
    own, *others = object_directories(git_dir) or (common_git_dir(git_dir).resolve() / "objects",)
    return (own, lent_folder(run_directory)) if others else (own,)


def lent_folder(run_directory: Path) -> Path:
    """Where a run has its copies of the objects that the project borrows from its alternates."""
    return run_directory / "lent-objects"


def alternates_files(git_dir: Path) -> tuple[Path, ...]:
    """The file that names the alternates, which a run sees as empty."""
    file = common_git_dir(git_dir).resolve() / "objects/info/alternates"
    return (file,) if file.is_file() else ()


def common_git_dir(git_dir: Path) -> Path:
    """The git directory with the objects; for a linked worktree it is the main one's."""
    try:
        return git_dir / os.fsdecode((git_dir / "commondir").read_bytes()).strip()
    except OSError:
        return git_dir


def _read_alternates(objects: Path) -> list[Path]:
    try:
        listing = os.fsdecode((objects / "info" / "alternates").read_bytes())
    except OSError:
        return []
    return [
        (objects / line).resolve()
        for line in listing.split("\n")
        if line and not line.startswith("#")
    ]
