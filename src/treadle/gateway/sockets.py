"""The directory of a gateway's unix sockets: private, short of name, and swept after a crash."""

import fcntl
import os
import shutil
import socket
import stat
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

from treadle.domain.errors import SettingsError

# A socket's path may have some hundred bytes, and TMPDIR or TREADLE_ROOT could be longer.
PLACE = Path("/tmp")  # noqa: S108  # only a directory of our own in it is used
_PREFIX = "treadle-gateway-"
BACKLOG = 128


class SocketDirectory:
    """Held by a lock that dies with the process, so that others know what may be removed."""

    def __init__(self, place: Path = PLACE) -> None:
        sweep(place)
        self._numbers = count(1)
        try:
            self.path, self._lock = _made(place)
        except OSError as error:
            raise SettingsError(
                f"cannot make a directory for sockets in {place}: {error.strerror}",
                hint=f"free some space in {place}, or make it writable",
            ) from error

    def listen(self) -> tuple[Path, socket.socket]:
        """A socket that accepts from now on: the kernel queues whoever comes."""
        path = self.path / f"{next(self._numbers)}.sock"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(path))
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            raise
        return path, listener

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def sweep(place: Path = PLACE) -> None:
    """Remove the directories of gateways that are gone."""
    for path in place.glob(f"{_PREFIX}*"):
        lock = _open(path)
        if lock is None:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        except BlockingIOError:
            pass  # its gateway is at work
        finally:
            os.close(lock)


def _made(place: Path) -> tuple[Path, int]:
    while True:
        path = Path(mkdtemp(prefix=_PREFIX, dir=place))
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
