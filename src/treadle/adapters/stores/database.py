"""The interface to two databases: SQLite for one machine, PostgreSQL where several share it.

Statements are written once, in the common subset: `?` for values, ON CONFLICT, RETURNING (a
compare-and-set is an UPDATE … RETURNING that gives a row or none). Tables use TEXT, INTEGER, REAL
and BLOB; booleans are 0 and 1, times are ISO 8601 texts. See `schema` for the tables.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

from treadle.domain.storage import Storage

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Any, ...]


class Cursor(Protocol):
    """Statements inside a transaction."""

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run one statement; returns its rows, if any."""
        ...

    def executemany(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run one statement for each of the rows."""
        ...


class Database(Protocol):
    """Safe to use from several threads. Every failure is a StoreError."""

    def transaction(self, lock: str = "") -> AbstractContextManager[Cursor]:
        """Commit the block, or roll it back if it raises; transactions do not nest.

        Two transactions with the same lock never overlap, even on two machines: what one reads
        does not change until it ends. SQLite has one writer and ignores the name.
        """
        ...

    def query(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """The rows of one SELECT."""
        ...

    def close(self) -> None: ...


def open_database(storage: Storage) -> Database:
    """Open the database, created if missing, with up-to-date tables."""
    if storage.database_url:
        # Loads psycopg, which most installations never need.
        from treadle.adapters.stores.postgres import PostgresDatabase

        return PostgresDatabase(storage.database_url)
    from treadle.adapters.stores.sqlite import SqliteDatabase, file_of

    return SqliteDatabase(file_of(storage.root))


def open_to_read(storage: Storage) -> Database | None:
    """Open the database for reading; None if nothing was ever stored."""
    if storage.database_url:
        return open_database(storage)
    from treadle.adapters.stores.sqlite import open_existing

    return open_existing(storage.root)
