"""File and repository operations of `treadle init`."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.workspace.git import user_git
from treadle.workspace.project import find_project


async def find_repository(directory: Path, environment: Mapping[str, str]) -> Path | None:
    """The root of the repository that contains a directory, or None."""
    inside = await user_git(directory, environment).try_run("rev-parse", "--is-inside-work-tree")
    if not inside.ok and "not a git repository" in inside.stderr:
        return None
    return (await find_project(directory, environment)).root


async def make_repository(directory: Path, environment: Mapping[str, str]) -> None:
    """Make an empty repository; the user's git settings name its first branch."""
    await user_git(directory, environment).run("init", "--quiet")


def read_text(path: Path) -> str | None:
    """A file's text with all its bytes and line ends; None if there is no file."""
    try:
        return path.read_bytes().decode("utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _file_error("read", path, error) from None


def replace_text(path: Path, text: str) -> None:
    """Write a file atomically; a link stays a link, and the file keeps its permissions."""
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _file_error("make", path.parent, error) from None
    try:
        temporary.write_bytes(text.encode("utf-8", errors="surrogateescape"))
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _file_error("write", path, error) from None


def _file_error(action: str, path: Path, error: OSError) -> ProjectError:
    return ProjectError(
        f"cannot {action} {path}: {error.strerror}",
        hint="check its permissions and the space on the disk, then run the command again",
    )
