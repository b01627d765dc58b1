"""Directories for a moment in the system's temporary place; what killed processes left is swept."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

PREFIX = "treadle-index-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Held by a lock that dies with the process, so that others know what may be removed."""
    place = Path(tempfile.gettempdir())
    _sweep_once(place)
    path, lock = _made(place)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def sweep(place: Path) -> None:
    """Remove the directories whose processes are gone."""
    for path in place.glob(f"{PREFIX}*"):
        lock = _open(path)
        if lock is None:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        except BlockingIOError:
            pass  # somebody works in it
        finally:
            os.close(lock)


@cache
def _sweep_once(place: Path) -> None:
    sweep(place)


def _made(place: Path) -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        lock = _open(path)
        if lock is None:
            continue  # somebody swept before it could be held
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.is_dir():
            return path, lock
        os.close(lock)


def _open(path: Path) -> int | None:
    """The directory itself, to be locked; None if it is gone or somebody else's."""
    try:
        found = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    if os.fstat(found).st_uid == os.geteuid() and stat.S_IMODE(os.fstat(found).st_mode) == 0o700:
        return found
    os.close(found)
    return None
