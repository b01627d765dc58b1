"""Checks and removes files that Treadle writes, and turns disk errors into ProjectError."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.workspace.hostile_files import remove_tree

_SMALL_FILE = 1 << 16


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn a full disk or a missing permission below `path` into a ProjectError."""
    try:
        yield
    except OSError as error:
        raise ProjectError(
            f"cannot write {error.filename or path}: {error.strerror}",
            hint="free some space there, or check its permissions with `ls -ld`",
        ) from error


def is_written(path: Path, text: bytes, *, rights: int = 0o600) -> bool:
    """Whether the file has this text, one link, our owner, and no write access for others."""
    try:
        # Non-blocking: it could be a pipe without a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        status = os.fstat(descriptor)
        facts = (
            stat.S_IFMT(status.st_mode),
            status.st_mode & 0o722,
            status.st_nlink,
            status.st_uid,
        )
        if facts != (stat.S_IFREG, rights, 1, os.geteuid()):
            return False
        return os.read(descriptor, len(text) + 1) == text
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a file or directory if it exists; a link is removed, not its target."""
    if path.is_dir() and not path.is_symlink():
        remove_tree(path)
    else:
        path.unlink(missing_ok=True)


def read_beginning(path: Path) -> bytes:
    """The first bytes of a small file that an agent may have replaced by a large one."""
    with path.open("rb") as file:
        return file.read(_SMALL_FILE)
