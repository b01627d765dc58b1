"""Refuses a directory of Treadle that other machines may share."""

from collections.abc import Callable
from pathlib import Path

from treadle.adapters.disk.file_system import FileSystem, find_file_system
from treadle.domain.errors import UsageError
from treadle.domain.storage import Storage

MOVE = "set TREADLE_ROOT to a directory on a disk of this machine"


def require_local_root(
    storage: Storage, find: Callable[[Path], FileSystem | None] = find_file_system
) -> None:
    """Refuse SQLite on a network file system: its locks do not keep other machines out, so two
    could work on one run, and its write-ahead log breaks there."""
    found = find(storage.root)
    if found is not None and found.is_network and not storage.database_url:
        text = network_root_text(storage.root, found)
        raise UsageError(f"{text}, where two machines could work on one run", hint=MOVE)


def network_root_text(root: Path, found: FileSystem) -> str:
    return f"{root} is on a network file system ({found.kind} at {found.mounted_at})"
