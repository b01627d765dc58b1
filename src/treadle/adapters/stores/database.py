"""The interface to two databases: SQLite for one machine, PostgreSQL where several share it.

Statements are written once, in what both understand: `?` for values, ON CONFLICT, RETURNING (a
compare-and-set is an UPDATE … RETURNING that gives a row or none). Tables say TEXT, INTEGER, REAL
and BLOB; truth is 0 and 1, times are texts in ISO 8601. See `schema` for the tables.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

from treadle.domain.storage import Storage

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Any, ...]


class Cursor(Protocol):
    """What can be done inside a transaction."""

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run one statement; its rows, if it gives any."""
        ...

    def executemany(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run one statement once for each of the rows."""
        ...


class Database(Protocol):
    """Safe to use from several threads. Whatever fails is a StoreError of one line."""

    def transaction(self, lock: str = "") -> AbstractContextManager[Cursor]:
        """All of the block or, if it raises, none of it; never inside another transaction.

        Two transactions with the same lock never overlap, on whatever machine: what one reads
        stays so until it is done. SQLite has one writer and needs no name for it.
        """
        ...

    def query(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """The rows of one SELECT."""
        ...

    def close(self) -> None: ...


def open_database(storage: Storage) -> Database:
    """The database with its tables up to date, made if it is not there."""
    if storage.database_url:
        # Loads psycopg, which most installations never need.
        from treadle.adapters.stores.postgres import PostgresDatabase

        return PostgresDatabase(storage.database_url)
    from treadle.adapters.stores.sqlite import SqliteDatabase, file_of

    return SqliteDatabase(file_of(storage.root))


def open_to_read(storage: Storage) -> Database | None:
    """The database for reading alone, or None when nothing was ever stored."""
    if storage.database_url:
        return open_database(storage)
    from treadle.adapters.stores.sqlite import open_existing

    return open_existing(storage.root)
