"""Credentials whose quota is spent, one row each, shared by all runs on the database."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from treadle.adapters.stores.database import Database, Row, Value
from treadle.domain.gates import QuotaGate
from treadle.domain.wire import whole_characters

GATES_TABLES = """
    CREATE TABLE quota_gates (
      credential   TEXT PRIMARY KEY,
      closed_until TEXT NOT NULL,
      reason       TEXT NOT NULL,
      reported_at  TEXT NOT NULL,
      version      INTEGER NOT NULL
    )
"""

_FIELDS = "credential, closed_until, reason, reported_at, version"


class StoredQuotaGates:
    """The `QuotaGates` port on a database."""

    def __init__(
        self, database: Database, *, clean: Callable[[str], str] = lambda text: text
    ) -> None:
        self._database = database
        self._clean = clean

    def read(self, credential: str) -> QuotaGate | None:
        rows = self._database.query(
            f"SELECT {_FIELDS} FROM quota_gates WHERE credential=?",  # noqa: S608
            (credential,),
        )
        return _gate(rows[0]) if rows else None

    def close(self, before: QuotaGate | None, after: QuotaGate) -> bool:
        after = replace(after, reason=self._clean(after.reason))
        with self._database.transaction() as cursor:
            if before is None:
                closed = cursor.execute(
                    f"INSERT INTO quota_gates ({_FIELDS}) VALUES (?, ?, ?, ?, ?) "  # noqa: S608
                    "ON CONFLICT (credential) DO NOTHING RETURNING version",
                    (after.credential, *_values(after), 1),
                )
            else:
                closed = cursor.execute(
                    "UPDATE quota_gates SET closed_until=?, reason=?, reported_at=?, version=? "
                    "WHERE credential=? AND version=? AND reported_at=? RETURNING version",
                    (*_values(after), before.version + 1, *_identity(before)),
                )
        return bool(closed)

    def open(self, before: QuotaGate) -> bool:
        with self._database.transaction() as cursor:
            opened = cursor.execute(
                "DELETE FROM quota_gates WHERE credential=? AND version=? AND reported_at=? "
                "RETURNING version",
                _identity(before),
            )
        return bool(opened)


def _identity(gate: QuotaGate) -> tuple[Value, ...]:
    """A gate that was opened and closed again begins at version 1 once more."""
    return gate.credential, gate.version, _text(gate.reported_at)


def _values(gate: QuotaGate) -> tuple[Value, ...]:
    reason = whole_characters(gate.reason).replace("\0", " ")
    return _text(gate.closed_until), reason, _text(gate.reported_at)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _gate(row: Row) -> QuotaGate:
    credential, until, reason, reported_at, version = row
    return QuotaGate(
        credential=credential,
        closed_until=datetime.fromisoformat(until),
        reason=reason,
        reported_at=datetime.fromisoformat(reported_at),
        version=version,
    )
