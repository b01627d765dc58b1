"""Circuit breakers, one row per outside service, shared by all runs on the database."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from treadle.adapters.stores.database import Database, Row, Value
from treadle.domain.gates import Breaker
from treadle.domain.wire import whole_characters

BREAKERS_TABLES = """
    CREATE TABLE breakers (
      service    TEXT PRIMARY KEY,
      failures   INTEGER NOT NULL,
      open_until TEXT NOT NULL,
      probe      TEXT NOT NULL,
      reason     TEXT NOT NULL,
      reporter   TEXT NOT NULL,
      version    INTEGER NOT NULL
    )
"""

_FIELDS = "service, failures, open_until, probe, reason, reporter, version"


class StoredBreakers:
    """The `Breakers` port on a database."""

    def __init__(
        self, database: Database, *, clean: Callable[[str], str] = lambda text: text
    ) -> None:
        self._database = database
        self._clean = clean

    def read(self, service: str) -> Breaker:
        rows = self._database.query(
            f"SELECT {_FIELDS} FROM breakers WHERE service=?",  # noqa: S608
            (service,),
        )
        return _breaker(rows[0]) if rows else Breaker(service)

    def swap(self, before: Breaker, after: Breaker) -> bool:
        version = before.version + 1
        after = replace(after, reason=self._clean(after.reason))
        with self._database.transaction() as cursor:
            if before.version == 0:
                swapped = cursor.execute(
                    f"INSERT INTO breakers ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?) "  # noqa: S608
                    "ON CONFLICT (service) DO NOTHING RETURNING version",
                    (after.service, *_values(after), version),
                )
            else:
                swapped = cursor.execute(
                    "UPDATE breakers SET failures=?, open_until=?, probe=?, reason=?, reporter=?, "
                    "version=? WHERE service=? AND version=? RETURNING version",
                    (*_values(after), version, before.service, before.version),
                )
        return bool(swapped)


def _values(breaker: Breaker) -> tuple[Value, ...]:
    until = "" if breaker.until is None else breaker.until.astimezone(UTC).isoformat()
    reason = whole_characters(breaker.reason).replace("\0", " ")
    return breaker.failures, until, breaker.probe, reason, breaker.reporter


def _breaker(row: Row) -> Breaker:
    service, failures, until, probe, reason, reporter, version = row
    return Breaker(
        service=service,
        failures=failures,
        until=datetime.fromisoformat(until) if until else None,
        probe=probe,
        reason=reason,
        reporter=reporter,
        version=version,
    )
