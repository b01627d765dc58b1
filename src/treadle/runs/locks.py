"""Locks of projects, runs and workers, which also show whether their processes are alive."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from treadle.adapters.stores.run_list import is_lock_held, run_lock, worker_lock
from treadle.domain.errors import ProjectInUse, StoreError
from treadle.domain.ids import RunId, short_id
from treadle.workflows.definition import WorkPlace
from treadle.workspace.lock import ProjectBusy, lock_project

# The prefix of a worker's name at the engine; the name of a foreground run is the run's id.
WORKER = "worker."
# A process that only checks a lock holds it for a moment, so others try again.
_ATTEMPTS = 100


@contextmanager
def lock_project_for(
    root: Path, project_key: str, run: RunId, project: Path | None = None
) -> Iterator[None]:
    """Lock the project within the block; the lock ends with the process. With the project's path,
    runs of another directory of Treadle are kept out, too."""
    try:
        lock = lock_project(root, project_key, run, project)
    except OSError as error:
        raise _unwritable(root, error) from error
    if isinstance(lock, ProjectBusy):
        raise lock.as_error()
    with lock:
        yield


@contextmanager
def lock_run(
    root: Path,
    project_key: str,
    run: RunId,
    project: Path | None = None,
    place: WorkPlace = "checkout",
) -> Iterator[None]:
    """Lock the run, and the project if the run works for its checkout; the run's lock shows that
    its process is alive."""
    with ExitStack() as stack:
        if place == "checkout":
            stack.enter_context(lock_project_for(root, project_key, run, project))
        if place == "queue":
            stack.enter_context(lock_project_for(root, f"{project_key}.queue", run))
        file = stack.enter_context(_open_lock(root, run_lock(root, run)))
        # Does not wait, because that would block other runs of this process.
        if not _try_lock(file):
            raise ProjectInUse(
                f"another process is busy with run {short_id(run)}",
                hint=f"follow it with `treadle attach {short_id(run)}`",
            )
        yield


@contextmanager
def lock_orphan(root: Path, run: RunId) -> Iterator[bool]:
    """Lock a run without a process within the block; False if a process has it."""
    with _open_lock(root, run_lock(root, run)) as file:
        yield _try_lock(file)


def is_alive(root: Path, executor: str) -> bool:
    """Whether the process of an executor, a foreground run or a worker, is alive."""
    return is_lock_held(_executor_lock(root, executor))


@contextmanager
def lock_executor(root: Path, executor: str) -> Iterator[None]:
    """Hold the lock that shows that a worker is alive."""
    lock = _executor_lock(root, executor)
    with _open_lock(root, lock) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def _executor_lock(root: Path, executor: str) -> Path:
    if executor.startswith(WORKER):
        return root / "workers" / f"{executor}.lock"
    return run_lock(root, RunId(executor))


@contextmanager
def lock_worker(root: Path, login: str) -> Iterator[Callable[[], bool]]:
    """Yield a function that tries to become the worker that detached runs of a login rely on; False
    while another process is. The lock is held to the end of the block."""
    with _open_lock(root, worker_lock(root, login)) as file:
        yield lambda: _try_lock(file)


def worker_is_alive(root: Path, login: str) -> bool:
    """Whether a worker serves the queue of the login."""
    return is_lock_held(worker_lock(root, login))


def _open_lock(root: Path, lock: Path) -> IO[str]:
    try:
        lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return lock.open("w")
    except OSError as error:
        raise _unwritable(root, error) from error


def _try_lock(file: IO[str]) -> bool:
    for _ in range(_ATTEMPTS):
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False


def _unwritable(root: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot write under {root}: {error.strerror}",
        hint="make it writable or free some space, or set TREADLE_ROOT to another directory",
    )
