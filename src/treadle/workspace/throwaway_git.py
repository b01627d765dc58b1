"""Writes throwaway git directories, without settings, hooks or branches of the user."""

import os
import shutil
from pathlib import Path

from treadle.workspace.alternates import lent_directories, object_directories
from treadle.workspace.clone_git_dir import agent_environment
from treadle.workspace.git import QUIET_OPTIONS, Git
from treadle.workspace.lent_objects import lend_objects
from treadle.workspace.project import Project

_SHA256_DIGITS = 64


def make_throwaway_git(project: Project, commit: str, git_dir: Path, work: Path) -> Git:
    """Git for `work` that reads no settings of the user, and writes to a new git directory."""
    write_git_dir(commit, git_dir, object_directories(project.git_dir))
    return Git(
        work,
        agent_environment(project.git.environment),
        (f"--git-dir={git_dir}", f"--work-tree={work}", *QUIET_OPTIONS),
        limit_s=project.git.limit_s,
        program=project.git.program,
    )


async def write_history(project: Project, commit: str, checkout: Path, *, objects: Path) -> None:
    """Write a git directory with the commit, its ancestors and the tags, for commands in a checkout
    of the run's directory.

    It has no branch and no settings, and reads the user's objects and those in `objects`. Writes
    to it go nowhere else.
    """
    await lend_objects(project, commit, checkout.parent)
    listing = await project.git.run(
        "for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"
    )
    git_dir = checkout / "work" / ".git"
    write_git_dir(commit, git_dir, lent_directories(project.git_dir, checkout.parent))
    # Size and modification time must do: in a sandbox the owner may be another, and when Treadle
    # sets an access time, the time of the last change is another.
    with (git_dir / "config").open("a", encoding="utf-8") as config:
        config.write("[core]\ncheckStat = minimal\n")
    _write(git_dir / "packed-refs", listing)
    # Its alternates are not for commands.
    without = shutil.ignore_patterns("alternates")
    shutil.copytree(objects, git_dir / "objects", ignore=without, dirs_exist_ok=True)
    shutil.copy2(checkout / "index", git_dir / "index")


def write_git_dir(commit: str, git_dir: Path, objects: tuple[Path, ...]) -> None:
    """Write a git directory with the commit and its ancestors, without settings and branches.

    The first of the object directories is the project's own.
    """
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
