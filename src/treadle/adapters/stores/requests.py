"""What other terminals ask of a run, kept until the process that works on it looks."""

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

RequestKind = Literal["cancel"]


@dataclass(frozen=True, slots=True)
class Request:
    """One wish, by the first who had it."""

    kind: RequestKind
    by: str
    at: datetime


class Requests:
    """Asking twice is asking once; the end of a run, or a new leg, clears what was asked of it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ask_of(self, run: RunId, kind: RequestKind, *, by: str, at: datetime) -> None:
        sql = (
            "INSERT INTO requests (run, kind, asked_by, asked_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING"
        )
        with self._database.transaction(f"run {run}") as cursor:
            cursor.execute(sql, (run, kind, by, at.isoformat()))

    def asked(self, run: RunId) -> Request | None:
        """The oldest request that is still open."""
        sql = "SELECT kind, asked_by, asked_at FROM requests WHERE run=? ORDER BY asked_at LIMIT 1"
        rows = self._database.query(sql, (run,))
        return Request(rows[0][0], rows[0][1], datetime.fromisoformat(rows[0][2])) if rows else None

    def clear(self, run: RunId) -> None:
        """For a run that lost its process; at the end and at a new leg the store does so itself."""
        with self._database.transaction(f"run {run}") as cursor:
            cursor.execute("DELETE FROM requests WHERE run=?", (run,))
