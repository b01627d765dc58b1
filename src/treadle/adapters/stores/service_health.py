"""Circuit breakers and quota blocks in the database, and in memory."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from treadle.adapters.stores.database import Database, Row, Value
from treadle.domain.service_health import CircuitBreaker, QuotaBlock
from treadle.domain.wire import without_surrogates

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

_BREAKER_FIELDS = "service, failures, open_until, probe, reason, reporter, version"


class DatabaseBreakers:
    """The `BreakerStore` port on a database."""

    def __init__(
        self, database: Database, *, clean: Callable[[str], str] = lambda text: text
    ) -> None:
        self._database = database
        self._clean = clean

    def read(self, service: str) -> CircuitBreaker:
        rows = self._database.query(
            f"SELECT {_BREAKER_FIELDS} FROM breakers WHERE service=?",  # noqa: S608
            (service,),
        )
        return _breaker(rows[0]) if rows else CircuitBreaker(service)

    def swap(self, before: CircuitBreaker, after: CircuitBreaker) -> bool:
        version = before.version + 1
        after = replace(after, reason=self._clean(after.reason))
        with self._database.transaction() as cursor:
            if before.version == 0:
                stored = cursor.execute(
                    f"INSERT INTO breakers ({_BREAKER_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?) "  # noqa: S608
                    "ON CONFLICT (service) DO NOTHING RETURNING version",
                    (after.service, *_breaker_values(after), version),
                )
            else:
                stored = cursor.execute(
                    "UPDATE breakers SET failures=?, open_until=?, probe=?, reason=?, reporter=?, "
                    "version=? WHERE service=? AND version=? RETURNING version",
                    (*_breaker_values(after), version, before.service, before.version),
                )
        return bool(stored)


def _breaker_values(breaker: CircuitBreaker) -> tuple[Value, ...]:
    until = "" if breaker.until is None else breaker.until.astimezone(UTC).isoformat()
    reason = without_surrogates(breaker.reason).replace("\0", " ")
    return breaker.failures, until, breaker.probe, reason, breaker.reporter


def _breaker(row: Row) -> CircuitBreaker:
    service, failures, until, probe, reason, reporter, version = row
    return CircuitBreaker(
        service=service,
        failures=failures,
        until=datetime.fromisoformat(until) if until else None,
        probe=probe,
        reason=reason,
        reporter=reporter,
        version=version,
    )


QUOTA_TABLES = """
    CREATE TABLE quota_gates (
      credential   TEXT PRIMARY KEY,
      closed_until TEXT NOT NULL,
      reason       TEXT NOT NULL,
      reported_at  TEXT NOT NULL,
      version      INTEGER NOT NULL
    )
"""

_QUOTA_FIELDS = "credential, closed_until, reason, reported_at, version"


class DatabaseQuotaBlocks:
    """The `QuotaBlockStore` port on a database."""

    def __init__(
        self, database: Database, *, clean: Callable[[str], str] = lambda text: text
    ) -> None:
        self._database = database
        self._clean = clean

    def read(self, credential: str) -> QuotaBlock | None:
        rows = self._database.query(
            f"SELECT {_QUOTA_FIELDS} FROM quota_gates WHERE credential=?",  # noqa: S608
            (credential,),
        )
        return _quota_block(rows[0]) if rows else None

    def block(self, before: QuotaBlock | None, after: QuotaBlock) -> bool:
        after = replace(after, reason=self._clean(after.reason))
        with self._database.transaction() as cursor:
            if before is None:
                stored = cursor.execute(
                    f"INSERT INTO quota_gates ({_QUOTA_FIELDS}) VALUES (?, ?, ?, ?, ?) "  # noqa: S608
                    "ON CONFLICT (credential) DO NOTHING RETURNING version",
                    (after.credential, *_quota_values(after), 1),
                )
            else:
                stored = cursor.execute(
                    "UPDATE quota_gates SET closed_until=?, reason=?, reported_at=?, version=? "
                    "WHERE credential=? AND version=? AND reported_at=? RETURNING version",
                    (*_quota_values(after), before.version + 1, *_identity(before)),
                )
        return bool(stored)

    def unblock(self, before: QuotaBlock) -> bool:
        with self._database.transaction() as cursor:
            deleted = cursor.execute(
                "DELETE FROM quota_gates WHERE credential=? AND version=? AND reported_at=? "
                "RETURNING version",
                _identity(before),
            )
        return bool(deleted)


def _identity(block: QuotaBlock) -> tuple[Value, ...]:
    """Includes the time, because a block that is stored again starts at version 1."""
    return block.credential, block.version, _time_text(block.reported_at)


def _quota_values(block: QuotaBlock) -> tuple[Value, ...]:
    reason = without_surrogates(block.reason).replace("\0", " ")
    return _time_text(block.closed_until), reason, _time_text(block.reported_at)


def _time_text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _quota_block(row: Row) -> QuotaBlock:
    credential, until, reason, reported_at, version = row
    return QuotaBlock(
        credential=credential,
        closed_until=datetime.fromisoformat(until),
        reason=reason,
        reported_at=datetime.fromisoformat(reported_at),
        version=version,
    )


class MemoryBreakers:
    """The `BreakerStore` port in memory."""

    def __init__(self) -> None:
        self._breakers: dict[str, CircuitBreaker] = {}

    def read(self, service: str) -> CircuitBreaker:
        return self._breakers.get(service, CircuitBreaker(service))

    def swap(self, before: CircuitBreaker, after: CircuitBreaker) -> bool:
        if self.read(before.service) != before:
            return False
        self._breakers[before.service] = replace(after, version=before.version + 1)
        return True


class MemoryQuotaBlocks:
    """The `QuotaBlockStore` port in memory."""

    def __init__(self) -> None:
        self._blocks: dict[str, QuotaBlock] = {}

    def read(self, credential: str) -> QuotaBlock | None:
        return self._blocks.get(credential)

    def block(self, before: QuotaBlock | None, after: QuotaBlock) -> bool:
        if self.read(after.credential) != before:
            return False
        version = 1 if before is None else before.version + 1
        self._blocks[after.credential] = replace(after, version=version)
        return True

    def unblock(self, before: QuotaBlock) -> bool:
        if self.read(before.credential) != before:
            return False
        del self._blocks[before.credential]
        return True
