"""Temporary folders, locked while their process lives; abandoned ones are removed."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp


def remove_abandoned(directory: Path, prefix: str) -> None:
    """Remove the folders whose processes have ended."""
    for path in directory.glob(f"{prefix}*"):
        lock = _open_own_folder(path)
        if lock is None:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        except BlockingIOError:
            pass  # a live process holds it
        finally:
            os.close(lock)


def make_locked_folder(directory: Path, prefix: str) -> tuple[Path, int]:
    """A new folder, and the descriptor that locks it until it is closed."""
    while True:
        path = Path(mkdtemp(prefix=prefix, dir=directory))
        lock = _open_own_folder(path)
        if lock is None:
            continue  # another process removed it before it was locked
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.is_dir():
            return path, lock
        os.close(lock)


def _open_own_folder(path: Path) -> int | None:
    """A descriptor of the folder, for locking; None if it is gone or another user's."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    if (
        os.fstat(descriptor).st_uid == os.geteuid()
        and stat.S_IMODE(os.fstat(descriptor).st_mode) == 0o700
    ):
        return descriptor
    os.close(descriptor)
    return None


SCRATCH_PREFIX = "treadle-index-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder with a lock that ends with the process, so others can remove abandoned ones."""
    directory = Path(tempfile.gettempdir())
    _remove_abandoned_once(directory)
    path, lock = make_locked_folder(directory, SCRATCH_PREFIX)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def remove_abandoned_scratch(directory: Path) -> None:
    """Remove the scratch folders whose processes have ended."""
    remove_abandoned(directory, SCRATCH_PREFIX)


@cache
def _remove_abandoned_once(directory: Path) -> None:
    remove_abandoned_scratch(directory)
