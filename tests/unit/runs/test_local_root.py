"""A directory of Treadle that other machines may share is refused with one line."""

from pathlib import Path

import pytest

from treadle.adapters.disk.file_system import FileSystem
from treadle.domain.errors import UsageError
from treadle.domain.storage import Storage
from treadle.runs.local_root import MOVE, require_local_root

ROOT = Path("/home/ada/.treadle")
NFS = FileSystem("nfs4", "/home")


def test_sqlite_on_a_network_file_system_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        require_local_root(Storage(ROOT, ""), lambda path: NFS if path == ROOT else None)

    assert (refused.value.message, refused.value.hint) == (
        "/home/ada/.treadle is on a network file system (nfs4 at /home), where two machines could"
        " work on one run",
        MOVE,
    )


@pytest.mark.parametrize("found", [None, FileSystem("ext4", "/")])
def test_a_disk_of_this_machine_is_accepted(found: FileSystem | None) -> None:
    require_local_root(Storage(ROOT, ""), lambda _: found)


def test_with_a_database_server_only_directories_are_kept_there() -> None:
    require_local_root(Storage(ROOT, "postgresql://host/db"), lambda _: NFS)
