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


def remove_abandoned(place: Path, prefix: str) -> None:
    """Remove the directories whose processes are gone."""
    for path in place.glob(f"{prefix}*"):
        lock = _open_own_folder(path)
        if lock is None:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        except BlockingIOError:
            pass  # somebody works in it
        finally:
            os.close(lock)


def make_locked_folder(place: Path, prefix: str) -> tuple[Path, int]:
    """A new one, and the descriptor that holds it until it is closed."""
    while True:
        path = Path(mkdtemp(prefix=prefix, dir=place))
        lock = _open_own_folder(path)
        if lock is None:
            continue  # somebody swept before it could be held
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.is_dir():
            return path, lock
        os.close(lock)


def _open_own_folder(path: Path) -> int | None:
    """The directory itself, to be locked; None if it is gone or somebody else's."""
    try:
        found = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    if os.fstat(found).st_uid == os.geteuid() and stat.S_IMODE(os.fstat(found).st_mode) == 0o700:
        return found
    os.close(found)
    return None


SCRATCH_PREFIX = "treadle-index-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Held by a lock that dies with the process, so that others know what may be removed."""
    place = Path(tempfile.gettempdir())
    _remove_abandoned_once(place)
    path, lock = make_locked_folder(place, SCRATCH_PREFIX)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def remove_abandoned_scratch(place: Path) -> None:
    """Remove the directories whose processes are gone."""
    remove_abandoned(place, SCRATCH_PREFIX)


@cache
def _remove_abandoned_once(place: Path) -> None:
    remove_abandoned_scratch(place)
