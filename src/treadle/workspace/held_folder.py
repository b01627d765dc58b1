"""Private directories held by a lock that dies with their process; those left behind are swept."""

import fcntl
import os
import shutil
import stat
from pathlib import Path
from tempfile import mkdtemp


def sweep_unheld(place: Path, prefix: str) -> None:
    """Remove the directories whose processes are gone."""
    for path in place.glob(f"{prefix}*"):
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


def make_held(place: Path, prefix: str) -> tuple[Path, int]:
    """A new one, and the descriptor that holds it until it is closed."""
    while True:
        path = Path(mkdtemp(prefix=prefix, dir=place))
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
