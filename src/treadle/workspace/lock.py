"""The locks that allow one run per project; they are released when their process ends.

One is in Treadle's own directory, the other in the project's git directory: several directories of
Treadle, or containers, may share a project.
"""

import errno
import fcntl
import json
import os
import shlex
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from treadle.domain.errors import ProjectInUse
from treadle.domain.ids import RunId
from treadle.workspace.disk import writing_to

# `find_holder` takes the lock for an instant, so a failed attempt is repeated.
_ATTEMPTS = 5
# In the git directory.
SHARED_LOCK = "treadle.lock"
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
# A network file system without locks, and a full disk, where the lock is held without its owner.
_TOLERATED = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOSPC, errno.EDQUOT)
_MAX_OWNER = 8192


@dataclass(frozen=True, slots=True)
class ProjectBusy:
    """Another run uses this project; its id is None if it has not written it yet."""

    run: RunId | None
    # Treadle's directory of that run and its machine, if they are others than here.
    root: str = ""
    host: str = ""

    def as_error(self) -> ProjectInUse:
        """The error for commands that need the lock."""
        if self.run is not None and self.root:
            where = f" on {self.host}" if self.host else ""
            return ProjectInUse(
                f"another run is working on this project: {self.run}, of {self.root}{where}",
                hint=f"follow it with `TREADLE_ROOT={shlex.quote(self.root)} "
                f"treadle logs -f {self.run}`{where}",
            )
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
    descriptors: tuple[int, ...]

    def release(self) -> None:
        for descriptor in reversed(self.descriptors):
            os.ftruncate(descriptor, 0)
            os.close(descriptor)

    def __enter__(self) -> "ProjectLock":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def lock_project(
    root: Path, key: str, run: RunId, project: Path | None = None
) -> ProjectLock | ProjectBusy:
    """Lock a project for a run; `root` is Treadle's data directory, `key` the project's key and
    `project` its path."""
    descriptor = _open(root, key)
    if not _take(descriptor, run):
        busy = ProjectBusy(_read_holder(descriptor))
        os.close(descriptor)
        return busy
    shared = None if project is None else _open_shared(project)
    if shared is None:
        return ProjectLock(run, (descriptor,))
    owner = {"run": run, "root": str(root.resolve()), "host": socket.gethostname()}
    if _take_shared(shared, json.dumps({**owner, "pid": os.getpid()})):
        return ProjectLock(run, (descriptor, shared))
    busy = _read_shared_holder(shared)
    os.close(shared)
    ProjectLock(run, (descriptor,)).release()
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
        return os.open(path, _FLAGS, 0o600)


def _open_shared(project: Path) -> int | None:
    """The lock file that all directories of Treadle share; None if there can be none."""
    git_dir = find_git_dir(project)
    if git_dir is None:
        return None
    try:
        return os.open(git_dir / SHARED_LOCK, _FLAGS | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None  # a run that cannot write there is refused for that


def find_git_dir(project: Path) -> Path | None:
    """The git directory of a project, also of a linked worktree; None if it has none."""
    path = project / ".git"
    if path.is_dir():
        return path
    with suppress(OSError, UnicodeDecodeError):
        name, _, target = path.read_text().strip().partition("gitdir: ")
        if not name and target and (project / target).is_dir():
            return project / target
    return None


def _take(descriptor: int, text: str) -> bool:
    for _ in range(_ATTEMPTS):
        if _try_lock(descriptor, fcntl.LOCK_EX):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, text.encode(), 0)
            return True
    return False


def _take_shared(descriptor: int, text: str) -> bool:
    try:
        return _take(descriptor, text)
    except OSError as error:
        if error.errno in _TOLERATED:
            return True
        raise


def _read_shared_holder(descriptor: int) -> ProjectBusy:
    with suppress(ValueError, KeyError, TypeError):
        owner = json.loads(os.pread(descriptor, _MAX_OWNER, 0))
        host = "" if owner["host"] == socket.gethostname() else str(owner["host"])
        return ProjectBusy(RunId(str(owner["run"])), str(owner["root"]), host)
    return ProjectBusy(None)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_holder(descriptor: int) -> RunId | None:
    text = os.pread(descriptor, 200, 0).decode(errors="replace").strip()
    return RunId(text) if text else None
