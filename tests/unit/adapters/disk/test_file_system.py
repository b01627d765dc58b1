"""On which file system a directory is, and which of them other machines may share."""

from pathlib import Path

import pytest

from treadle.adapters.disk.file_system import FileSystem, file_system_of, find_file_system

# As a kernel writes it: optional fields before the dash, octal escapes in paths.
MOUNTS = b"""\
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
35 21 0:30 / /home rw,relatime shared:2 master:1 - nfs4 server:/home rw,vers=4.2
36 35 0:31 / /home/ada/scratch rw - xfs /dev/vdb rw
37 35 0:32 / /home/ada/far\\040away rw - fuse.sshfs ada@host:/ rw
38 21 0:33 / /mnt/c rw - 9p drvfs rw
39 21 0:34 / /over rw - ext4 /dev/vdc rw
40 39 0:35 / /over rw - cifs //server/share rw
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/", FileSystem("ext4", "/")),
        ("/homework", FileSystem("ext4", "/")),
        ("/home", FileSystem("nfs4", "/home")),
        ("/home/ada/.treadle", FileSystem("nfs4", "/home")),
        ("/home/ada/scratch/treadle", FileSystem("xfs", "/home/ada/scratch")),
        ("/home/ada/far away/treadle", FileSystem("fuse.sshfs", "/home/ada/far away")),
        ("/mnt/c/treadle", FileSystem("9p", "/mnt/c")),
        ("/over/there", FileSystem("cifs", "/over")),
    ],
)
def test_the_nearest_mount_above_a_path_counts_and_the_last_of_several(
    path: str, found: FileSystem
) -> None:
    assert file_system_of(path.encode(), MOUNTS) == found


@pytest.mark.parametrize("mounts", [b"", b"\n", b"21 1 254:0 / /", b"garbage - ", b"a b c d e"])
def test_lines_that_say_nothing_are_passed_over(mounts: bytes) -> None:
    assert file_system_of(b"/home", mounts) is None


@pytest.mark.parametrize(
    ("kind", "network"),
    [
        *((kind, True) for kind in ("nfs", "nfs4", "cifs", "smb3", "9p", "lustre", "fuse.sshfs")),
        *((kind, False) for kind in ("ext4", "xfs", "btrfs", "zfs", "overlay", "tmpfs", "apfs")),
        *((kind, False) for kind in ("fuse.fuse-overlayfs", "fuse.gocryptfs", "fuseblk")),
    ],
)
def test_a_file_system_that_other_machines_can_have_is_a_network_file_system(
    kind: str, network: bool
) -> None:
    assert FileSystem(kind, "/").is_network is network


def test_a_path_is_looked_up_where_its_links_lead(tmp_path: Path) -> None:
    mounts, link = tmp_path / "mountinfo", tmp_path / "link"
    mounts.write_bytes(MOUNTS)
    link.symlink_to("/home/ada")

    assert find_file_system(link / "not-there-yet", mounts) == FileSystem("nfs4", "/home")
    assert find_file_system(link, tmp_path / "missing") is None


def test_this_machine_says_where_a_directory_is(tmp_path: Path) -> None:
    found = find_file_system(tmp_path)

    assert found is not None
    assert str(tmp_path.resolve()).startswith(found.mounted_at)
