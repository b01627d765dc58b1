"""Stored workflows as other commands see and move them: without the engine, which loads slowly."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from treadle.durable.database import connected, file_of, is_sqlite, telling_what_fails
from treadle.durable.port import SHARED
from treadle.durable.rows import FinishedStep, Rows
from treadle.durable.standing import Standing


def unfinished(location: str) -> Sequence[Standing]:
    """All that is told now, waits on a queue, or is parked because its story raised."""
    with _rows(location) as rows:
        return rows.unfinished() if rows else ()


def standing_of(location: str, workflow_id: str) -> Standing | None:
    """How one workflow stands; None if it was never begun."""
    with _rows(location) as rows:
        return rows.find(workflow_id) if rows else None


def finished_steps(location: str, workflow_id: str) -> Sequence[FinishedStep]:
    """What is stored of one workflow, in the order of its story."""
    with _rows(location) as rows:
        return rows.finished_steps(workflow_id) if rows else ()


def move(location: str, seen: Standing, *, queue: str = SHARED) -> bool:
    """Put a workflow on a queue; False, and nothing done, if it no longer stands as it was seen.

    For one that is being told: only if its executor is dead, so hold the lock that says so. What
    the dead one may still try to store is refused.
    """
    with _rows(location) as rows:
        return rows is not None and rows.move(seen, queue)


@contextmanager
def _rows(location: str) -> Iterator[Rows | None]:
    # Looking makes no file.
    if is_sqlite(location) and not file_of(location).exists():
        yield None
        return
    with connected(location) as pool, telling_what_fails(location):
        rows = Rows(pool)
        yield rows if rows.are_there() else None
