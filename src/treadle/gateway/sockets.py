"""The private directory of a gateway's unix sockets; stale ones are removed after a crash."""

import os
import shutil
import socket
from itertools import count
from pathlib import Path

from treadle.domain.errors import SettingsError
from treadle.workspace.temporary_folders import make_locked_folder, remove_abandoned

# Socket paths are limited to about 100 bytes; TMPDIR and TREADLE_ROOT may be longer.
SOCKET_ROOT = Path("/tmp")  # noqa: S108  # only used for a private directory in it
_PREFIX = "treadle-gateway-"
BACKLOG = 128


class SocketDirectory:
    """Locked for the life of the process, so that others know which ones are stale."""

    def __init__(self, root: Path = SOCKET_ROOT) -> None:
        remove_stale_directories(root)
        self._numbers = count(1)
        try:
            self.path, self._lock = make_locked_folder(root, _PREFIX)
        except OSError as error:
            raise SettingsError(
                f"cannot make a directory for sockets in {root}: {error.strerror}",
                hint=f"free some space in {root}, or make it writable",
            ) from error

    def listen(self) -> tuple[Path, socket.socket]:
        """Open a socket; the kernel queues connections from now on."""
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


def remove_stale_directories(root: Path = SOCKET_ROOT) -> None:
    """Remove the directories of processes that have ended."""
    remove_abandoned(root, _PREFIX)
