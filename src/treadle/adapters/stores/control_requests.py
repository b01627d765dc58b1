"""Requests to a run from other processes (cancel, pause), stored until its process reads them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from treadle.adapters.stores.database import Database
from treadle.domain.ids import RunId

REQUESTS_TABLES = """
    CREATE TABLE requests (
      run      TEXT NOT NULL,
      kind     TEXT NOT NULL,
      asked_by TEXT NOT NULL,
      asked_at TEXT NOT NULL,
      PRIMARY KEY (run, kind)
    ) WITHOUT ROWID
"""

ControlRequestKind = Literal["cancel", "pause"]


@dataclass(frozen=True, slots=True)
class ControlRequest:
    """One request, by the first who made it."""

    kind: ControlRequestKind
    by: str
    at: datetime


class ControlRequests:
    """Repeated requests count once; the end of a run or a new leg deletes them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, run: RunId, kind: ControlRequestKind, *, by: str, at: datetime) -> None:
        sql = (
            "INSERT INTO requests (run, kind, asked_by, asked_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING"
        )
        with self._database.transaction(f"run {run}") as cursor:
            cursor.execute(sql, (run, kind, by, at.isoformat()))

    def find_oldest(self, run: RunId) -> ControlRequest | None:
        """The oldest open request."""
        sql = "SELECT kind, asked_by, asked_at FROM requests WHERE run=? ORDER BY asked_at LIMIT 1"
        rows = self._database.query(sql, (run,))
        return (
            ControlRequest(rows[0][0], rows[0][1], datetime.fromisoformat(rows[0][2]))
            if rows
            else None
        )

    def clear(self, run: RunId) -> None:
        """Delete the requests of a run whose process is gone."""
        with self._database.transaction(f"run {run}") as cursor:
            cursor.execute("DELETE FROM requests WHERE run=?", (run,))
