"""Checks and removes files that Treadle writes, and turns disk errors into ProjectError."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.workspace.hostile_files import remove_tree


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """A full disk or a missing permission below `path` becomes an error that a person can read."""
    try:
        yield
    except OSError as error:
        raise ProjectError(
            f"cannot write {error.filename or path}: {error.strerror}",
            hint="free some space there, or check its permissions with `ls -ld`",
        ) from error


def is_written(path: Path, text: bytes, *, rights: int = 0o600) -> bool:
    """Is it as we would write it: a plain file of ours under one name, that only we may change?"""
    try:
        # Not blocking: it could be a pipe that nobody writes to.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        seen = os.fstat(descriptor)
        found = (stat.S_IFMT(seen.st_mode), seen.st_mode & 0o722, seen.st_nlink, seen.st_uid)
        if found != (stat.S_IFREG, rights, 1, os.geteuid()):
            return False
        return os.read(descriptor, len(text) + 1) == text
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Whatever is there, if anything; a link goes, not what it points to."""
    if path.is_dir() and not path.is_symlink():
        remove_tree(path)
    else:
        path.unlink(missing_ok=True)
