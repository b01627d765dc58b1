"""Observes which files of a checkout a command reads, by their access times."""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from treadle.workspace.disk import remove, writing_to

# One second after 1970. File systems that keep access times only roughly (`relatime`) write the
# next one if the last is older than the time of modification.
_LONG_AGO_NS = 1_000_000_000
_PROBE = "access-time"

# Device, inode and access time.
AccessMark = tuple[int, int, int]


def keeps_access_times(directory: Path) -> bool:
    """Whether this file system records that a file was read; with `noatime` it does not."""
    probe = directory / _PROBE
    with writing_to(directory):
        remove(probe)
        try:
            probe.write_bytes(b"a")
            marks = mark_unread(directory, (_PROBE,))
            probe.read_bytes()
            return read_files(directory, marks) == (_PROBE,)
        finally:
            remove(probe)


def mark_unread(top: Path, paths: Iterable[str]) -> dict[str, AccessMark]:
    """Set the access times of those paths that are files below `top`; all else stays as it is.

    Nothing but the command may read them from now on.
    """
    top = top.resolve()
    marks = {}
    for path in paths:
        file = top / path
        # A link in between could lead out of the directory.
        if file.parent.resolve() != file.parent or (status := _status(file)) is None:
            continue
        times = (_LONG_AGO_NS, status.st_mtime_ns)
        with writing_to(file):
            os.utime(file, ns=times, follow_symlinks=False)
            marks[path] = _mark(file.lstat())
    return marks


def read_files(top: Path, marks: Mapping[str, AccessMark]) -> tuple[str, ...]:
    """The files that were read since they were marked. One that was removed or replaced counts,
    because its access time is gone."""
    return tuple(path for path, mark in marks.items() if _current_mark(top / path) != mark)


def _current_mark(file: Path) -> AccessMark | None:
    status = _status(file)
    return None if status is None else _mark(status)


def _mark(status: os.stat_result) -> AccessMark:
    return status.st_dev, status.st_ino, status.st_atime_ns


def _status(file: Path) -> os.stat_result | None:
    """The status of a regular file; None for anything else."""
    try:
        status = file.lstat()
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None
