"""Reads the finished steps of stored workflows, for SQLite without SQLAlchemy, which is slow."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from treadle.domain.errors import StoreError

SQLITE = "sqlite:///"
# The engine's own entries among the steps.
ENGINE_MARKS = "DBOS.%"
_QUERY = (
    "SELECT function_name, started_at_epoch_ms, completed_at_epoch_ms FROM operation_outputs"
    " WHERE workflow_uuid=? AND function_name NOT LIKE ? ORDER BY function_id"
)


@dataclass(frozen=True, slots=True)
class FinishedStep:
    """A step whose result is stored; an interrupted one is not."""

    name: str
    started: datetime
    duration: timedelta


def finished_steps(location: str, workflow_id: str) -> Sequence[FinishedStep]:
    """The stored steps of one workflow, in their order."""
    if not location.startswith(SQLITE):
        from treadle.durable.queries import finished_steps_of_server

        return finished_steps_of_server(location, workflow_id)
    path = Path(location.removeprefix(SQLITE))
    # A read must not create the file.
    if not path.exists():
        return []
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute(_QUERY, (workflow_id, ENGINE_MARKS)).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return []
        raise StoreError(f"cannot read {path}: {error}", hint="check its permissions") from error
    except sqlite3.Error as error:
        raise StoreError(f"cannot read {path}: {error}", hint="see `treadle doctor`") from error
    return [finished_step(*row) for row in rows]


def finished_step(name: str, started_ms: int, completed_ms: int) -> FinishedStep:
    started = datetime.fromtimestamp(started_ms / 1000, UTC)
    return FinishedStep(name, started, timedelta(milliseconds=completed_ms - started_ms))
