"""Holds what a run must have alone: its project, and the mark that its owner lives."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treadle.adapters.stores.runs import run_lock
from treadle.domain.errors import StoreError
from treadle.domain.ids import RunId
from treadle.workspace.lock import ProjectBusy, lock_project


@contextmanager
def hold_project(root: Path, project_key: str, run: RunId) -> Iterator[None]:
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
def hold_run(root: Path, project_key: str, run: RunId) -> Iterator[None]:
    """The project, and a lock by which others see that the run's owner lives."""
    with hold_project(root, project_key, run):
        lock = run_lock(root, run)
        try:
            lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = lock.open("w")
        except OSError as error:
            raise _unwritable(root, error) from error
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _unwritable(root: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot write under {root}: {error.strerror}",
        hint="make it writable or free some space, or set TREADLE_ROOT to another directory",
    )
