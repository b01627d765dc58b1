"""The private directory of a gateway's unix sockets; stale ones are removed after a crash."""

import os
import shutil
import socket
from itertools import count
from pathlib import Path

from treadle.domain.errors import SettingsError
from treadle.workspace.temporary_folders import make_locked_folder, remove_abandoned

# A socket's path may have some hundred bytes, and TMPDIR or TREADLE_ROOT could be longer.
SOCKET_ROOT = Path("/tmp")  # noqa: S108  # only a directory of our own in it is used
_PREFIX = "treadle-gateway-"
BACKLOG = 128


class SocketDirectory:
    """Held by a lock that dies with the process, so that others know what may be removed."""

    def __init__(self, place: Path = SOCKET_ROOT) -> None:
        remove_stale_directories(place)
        self._numbers = count(1)
        try:
            self.path, self._lock = make_locked_folder(place, _PREFIX)
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


def remove_stale_directories(place: Path = SOCKET_ROOT) -> None:
    """Remove the directories of gateways that are gone."""
    remove_abandoned(place, _PREFIX)
