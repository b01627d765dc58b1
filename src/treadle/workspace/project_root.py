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
