"""The lock that allows one run per project; it is released when its process ends."""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from treadle.domain.errors import ProjectInUse
from treadle.domain.ids import RunId
from treadle.workspace.disk import writing_to

# `find_holder` takes the lock for an instant, so a failed attempt is repeated.
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class ProjectBusy:
    """Another run uses this project; its id is None if it has not written it yet."""

    run: RunId | None

    def as_error(self) -> ProjectInUse:
        """The error for commands that need the lock."""
        if self.run is None:
            return ProjectInUse(
                "another run is starting on this project", hint="see it with `treadle ls`"
            )
        return ProjectInUse(
            f"another run is working on this project: {self.run}",
            hint=f"follow it with `treadle logs -f {self.run}`",
        )


@dataclass(frozen=True, slots=True)
class ProjectLock:
    """Held until `release`, the end of the `with` block, or the end of the process."""

    run: RunId
    descriptor: int

    def release(self) -> None:
        os.ftruncate(self.descriptor, 0)
        os.close(self.descriptor)

    def __enter__(self) -> "ProjectLock":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def lock_project(root: Path, key: str, run: RunId) -> ProjectLock | ProjectBusy:
    """Lock a project for a run; `root` is Treadle's data directory, `key` the project's key."""
    descriptor = _open(root, key)
    for _ in range(_ATTEMPTS):
        if _try_lock(descriptor, fcntl.LOCK_EX):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, run.encode(), 0)
            return ProjectLock(run, descriptor)
    busy = ProjectBusy(_read_holder(descriptor))
    os.close(descriptor)
    return busy


def find_holder(root: Path, key: str) -> ProjectBusy | None:
    """The run that holds the lock now; a lock file of an ended process does not count."""
    if not _path(root, key).exists():
        return None
    descriptor = _open(root, key)
    try:
        return (
            None if _try_lock(descriptor, fcntl.LOCK_SH) else ProjectBusy(_read_holder(descriptor))
        )
    finally:
        os.close(descriptor)


def _path(root: Path, key: str) -> Path:
    return root / "locks" / f"{key}.lock"


def _open(root: Path, key: str) -> int:
    path = _path(root, key)
    with writing_to(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Never removed: a lock on a file that another process has deleted protects nothing.
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_holder(descriptor: int) -> RunId | None:
    text = os.pread(descriptor, 200, 0).decode(errors="replace").strip()
    return RunId(text) if text else None
