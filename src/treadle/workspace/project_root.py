"""Finds the root of a project and its key from the files alone, without starting git."""

import hashlib
import os
from pathlib import Path

GIT_FOLDER = ".git"
# Not `.treadle`: the home directory has one without being a project.
SETTINGS_FILE = "treadle.toml"


def find_project_root(directory: Path) -> Path | None:
    """The repository that contains a directory, or else the nearest directory with settings."""
    directories = (directory, *directory.parents)
    return next((parent for parent in directories if _is_repository(parent)), None) or next(
        (parent for parent in directories if _exists(parent / SETTINGS_FILE)), None
    )


def find_link(path: Path, project: Path) -> Path | None:
    """The first link of the project on the way to a path, the path included; None without one.

    Whoever wrote the project chose where it leads: nothing is written through it.
    """
    plain = Path(os.path.abspath(path))  # noqa: PTH100  `resolve` would follow the links
    for each in (*reversed(plain.parents), plain):
        if each.is_symlink() and each.parent.resolve().is_relative_to(project):
            return each
    return None


def project_key(project: Path) -> str:
    """A key that stays the same while the project's path does."""
    return hashlib.sha256(os.fsencode(project)).hexdigest()[:16]


def _is_repository(directory: Path) -> bool:
    """Whether git would see a repository: `.git` is a file, or a directory with a HEAD."""
    git_path = directory / GIT_FOLDER
    return _exists(git_path / "HEAD") or (_exists(git_path) and git_path.is_file())


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except OSError:  # without permission to look, it is not the user's project
        return False
    return True
