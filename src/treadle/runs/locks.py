"""Locks of projects, runs and workers: who works on what, and whether they live."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from treadle.adapters.stores.run_list import is_lock_held, run_lock
from treadle.domain.errors import ProjectInUse, StoreError
from treadle.domain.ids import RunId, short_id
from treadle.workspace.lock import ProjectBusy, lock_project

# What the names of workers at the engine begin with; those of runs in the foreground are run ids.
WORKER = "worker."
# Whoever only looks takes a lock for an instant; an attempt that meets it just tries again.
_ATTEMPTS = 100


@contextmanager
def lock_project_for(root: Path, project_key: str, run: RunId) -> Iterator[None]:
    """Nobody else works on the project within the block; the lock dies with the process."""
    try:
        held = lock_project(root, project_key, run)
    except OSError as error:
        raise _unwritable(root, error) from error
    if isinstance(held, ProjectBusy):
        raise held.as_error()
    with held:
        yield


@contextmanager
def lock_run(root: Path, project_key: str, run: RunId) -> Iterator[None]:
    """The project, and a lock by which others see that the run's owner lives."""
    with lock_project_for(root, project_key, run), _open_lock(root, run_lock(root, run)) as file:
        # Never waited for: that would stop everything else that this process works on.
        if not _try_lock(file):
            raise ProjectInUse(
                f"another process is busy with run {short_id(run)}",
                hint=f"follow it with `treadle attach {short_id(run)}`",
            )
        yield


@contextmanager
def lock_orphan(root: Path, run: RunId) -> Iterator[bool]:
    """A run that nobody works on, for as long as the block lasts; False if somebody does."""
    with _open_lock(root, run_lock(root, run)) as file:
        yield _try_lock(file)


def is_alive(root: Path, executor: str) -> bool:
    """Whether the process of an executor lives: a run in the foreground, or a worker."""
    return is_lock_held(_executor_lock(root, executor))


@contextmanager
def lock_executor(root: Path, executor: str) -> Iterator[None]:
    """The mark by which others see that a worker lives."""
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
def lock_worker(root: Path) -> Iterator[Callable[[], bool]]:
    """The place of the worker that detached runs count on: a call takes it, or says False while
    another has it. Once taken, it is kept to the end of the block."""
    with _open_lock(root, _worker_lock(root)) as file:
        yield lambda: _try_lock(file)


def worker_is_alive(root: Path) -> bool:
    """Whether a worker will take what is put on the queue now."""
    return is_lock_held(_worker_lock(root))


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


def _worker_lock(root: Path) -> Path:
    return root / "worker.lock"


def _unwritable(root: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot write under {root}: {error.strerror}",
        hint="make it writable or free some space, or set TREADLE_ROOT to another directory",
    )
