"""Finds the root of a project and its key from the files alone, without starting git."""

import hashlib
import os
from pathlib import Path

GIT_FOLDER = ".git"
# Not `.treadle`: a home directory has one without being a project.
SETTINGS_FILE = "treadle.toml"


def find_project_root(directory: Path) -> Path | None:
    """The repository around a directory; where there is none, the nearest one with settings."""
    around = (directory, *directory.parents)
    return next((place for place in around if _is_repository(place)), None) or next(
        (place for place in around if _exists(place / SETTINGS_FILE)), None
    )


def project_key(project: Path) -> str:
    """The same for as long as the project stays where it is."""
    return hashlib.sha256(os.fsencode(project)).hexdigest()[:16]


def _is_repository(place: Path) -> bool:
    """As git sees it: a directory of that name without a HEAD is passed over, a file never is."""
    mark = place / GIT_FOLDER
    return _exists(mark / "HEAD") or (_exists(mark) and mark.is_file())


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except OSError:  # also where nobody lets us look: then it is no project of ours
        return False
    return True
