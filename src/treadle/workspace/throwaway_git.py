"""Writes throwaway git directories, without settings, hooks or branches of the user."""

import os
import shutil
from pathlib import Path

from treadle.workspace.alternates import object_directories
from treadle.workspace.project import Project

_SHA256_DIGITS = 64


async def write_history(project: Project, commit: str, work: Path, index: Path) -> None:
    """Write a git directory with the commit, its ancestors and the tags, for commands in `work`.

    It has no branch and no settings, and reads the user's objects. Writes to it go nowhere else.
    """
    listing = await project.git.run(
        "for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"
    )
    git_dir = work / ".git"
    write_git_dir(project, commit, git_dir)
    _write(git_dir / "packed-refs", listing)
    shutil.copy2(index, git_dir / "index")


def write_git_dir(project: Project, commit: str, git_dir: Path) -> None:
    """Write a git directory with the commit and its ancestors, without settings and branches."""
    objects = object_directories(project.git_dir)
    (git_dir / "objects" / "info").mkdir(parents=True)
    (git_dir / "refs").mkdir()
    _write(git_dir / "HEAD", commit)
    _write(git_dir / "config", _config(commit))
    _write(git_dir / "objects" / "info" / "alternates", "\n".join(map(str, objects)))
    shallow = objects[0].parent / "shallow"
    if shallow.is_file():
        shutil.copyfile(shallow, git_dir / "shallow")


def _config(commit: str) -> str:
    if len(commit) == _SHA256_DIGITS:
        return (
            "[core]\nrepositoryformatversion = 1\nbare = false\n[extensions]\nobjectFormat = sha256"
        )
    return "[core]\nrepositoryformatversion = 0\nbare = false"


def _write(path: Path, text: str) -> None:
    path.write_bytes(os.fsencode(text) + b"\n" if text else b"")
