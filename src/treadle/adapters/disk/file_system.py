"""Finds the kind of file system that a directory is on, and whether other machines may share it."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

# Locks of one machine are not seen by the others, or the write-ahead log of SQLite, which lives in
# shared memory, is not.
NETWORK_KINDS = frozenset(
    {
        *(
            "nfs",
            "nfs3",
            "nfs4",
            "cifs",
            "smb2",
            "smb3",
            "smbfs",
            "ncpfs",
            "9p",
            "afs",
            "auristorfs",
        ),
        *("ceph", "coda", "gfs", "gfs2", "ocfs2", "glusterfs", "gpfs", "lustre", "beegfs", "pvfs2"),
        *("orangefs", "panfs", "vboxsf", "vmhgfs", "prl_fs", "davfs", "webdav"),
    }
)
# Other programs behind FUSE serve a local disk: encryption, layers of containers, NTFS.
NETWORK_PROGRAMS = frozenset(
    {
        *(
            "sshfs",
            "rclone",
            "s3fs",
            "s3ql",
            "goofys",
            "gcsfuse",
            "blobfuse",
            "blobfuse2",
            "mount-s3",
        ),
        *("curlftpfs", "davfs", "davfs2", "httpfs", "glusterfs", "ceph", "ceph-fuse", "juicefs"),
        *("mfs", "moosefs", "lizardfs", "seaweedfs", "gvfsd-fuse", "smbnetfs", "vmhgfs-fuse"),
        *("google-drive-ocamlfuse", "onedriver", "cephfs", "beegfs", "alluxio-fuse"),
    }
)
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(rb"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class FileSystem:
    """What is mounted at a directory; `kind` as the kernel names it."""

    kind: str
    mounted_at: str

    @property
    def is_network(self) -> bool:
        """Whether other machines can have the same files."""
        kind, _, program = self.kind.partition(".")
        return program in NETWORK_PROGRAMS if kind == "fuse" else kind in NETWORK_KINDS


def find_file_system(path: Path, mounts: Path = _MOUNTS) -> FileSystem | None:
    """The file system of a path, or of the directory where it would be made; None if this machine
    does not say."""
    try:
        text = mounts.read_bytes()
    except OSError:
        return None
    return file_system_of(os.fsencode(path.resolve()), text)


def file_system_of(path: bytes, mounts: bytes) -> FileSystem | None:
    """The one that is mounted nearest above the path; of several at one place, the last."""
    nearest: FileSystem | None = None
    longest = -1
    for line in mounts.splitlines():
        before, _, after = line.partition(b" - ")
        fields, kind = before.split(b" "), after.split(b" ")[0]
        if len(fields) < 5 or not kind:
            continue
        point = _ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), fields[4])
        folder = point.rstrip(b"/") + b"/"
        if (path + b"/").startswith(folder) and len(folder) >= longest:
            longest = len(folder)
            nearest = FileSystem(os.fsdecode(kind), os.fsdecode(point))
    return nearest
