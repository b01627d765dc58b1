"""The PostgreSQL database that several machines share, in a schema of its own."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import RLock
from typing import Any, TypeAlias, TypeVar

import psycopg
from psycopg import errors
from psycopg.abc import Buffer
from psycopg.adapt import Loader

from treadle.adapters.stores.database import Row, Value
from treadle.adapters.stores.schema import (
    VERSION,
    bring_up_to_date,
    for_postgres,
    refuse_newer,
    split_statements,
)
from treadle.domain.errors import SettingsError, StoreError
from treadle.domain.storage import without_password

SCHEMA = "treadle"
CONNECT_S = 10
LOCK_TIMEOUT = "30s"

T = TypeVar("T")
Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

_SPECIAL = re.compile(r"'[^']*'|\?|%")


class PostgresCursor:
    """The `Cursor` of a PostgresDatabase."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        return _execute(self._connection, sql, values)

    def executemany(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(to_psycopg_sql(sql), [_adapt_values(row) for row in rows])


class PostgresDatabase:
    """The `Database` on a server; a lost connection is reopened once per use."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._display_url = without_password(url)
        self._mutex = RLock()
        with self._translate_errors():
            self._connection = _connect(url)
            try:
                _migrate(self._connection, self._display_url)
            except BaseException:
                self._connection.close()
                raise

    @contextmanager
    def transaction(self, lock: str = "") -> Iterator[PostgresCursor]:
        with self._mutex, self._translate_errors():
            if self._in_transaction():
                raise RuntimeError("a transaction inside another one")
            self._retry_if_lost(lambda connection: _begin(connection, lock))
            try:
                yield PostgresCursor(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                _roll_back(self._connection)
                raise

    def query(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        with self._mutex, self._translate_errors():
            if self._in_transaction():
                return _execute(self._connection, sql, values)
            return self._retry_if_lost(lambda connection: _execute(connection, sql, values))

    def close(self) -> None:
        with self._mutex:
            self._connection.close()

    def _in_transaction(self) -> bool:
        status = self._connection.info.transaction_status
        return status in (
            psycopg.pq.TransactionStatus.INTRANS,
            psycopg.pq.TransactionStatus.INERROR,
        )

    def _retry_if_lost(self, act: Callable[[Connection], T]) -> T:
        try:
            return act(self._connection)
        except psycopg.OperationalError:
            if not self._connection.broken:
                raise
        self._connection.close()
        self._connection = _connect(self._url)
        return act(self._connection)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise store_error(self._display_url, error) from error


class _NumericLoader(Loader):
    """Sums of integers are `numeric` here; SQLite gives an int or a float."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdigit() else float(text)


@lru_cache(maxsize=512)
def to_psycopg_sql(sql: str) -> str:
    """Replace each `?` by `%s`, and escape `%`."""
    return _SPECIAL.sub(lambda match: _escape(match[0]), sql)


def _escape(text: str) -> str:
    return "%s" if text == "?" else text.replace("%", "%%")


def _adapt_values(values: Sequence[Value]) -> list[Value]:
    """Booleans as 0 and 1, as SQLite stores them; no zero bytes, which PostgreSQL rejects."""
    return [_adapt_value(value) for value in values]


def _adapt_value(value: Value) -> Value:
    if isinstance(value, bool):
        return int(value)
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def _execute(connection: Connection, sql: str, values: Sequence[Value] = ()) -> list[Row]:
    # Built from constants only; values are always bound.
    cursor = connection.execute(to_psycopg_sql(sql).encode(), _adapt_values(values))
    return cursor.fetchall() if cursor.description else []


def _connect(url: str) -> Connection:
    if not url.startswith(("postgresql://", "postgres://")):
        raise _invalid_url()
    try:
        connection = psycopg.connect(
            url, autocommit=True, connect_timeout=CONNECT_S, application_name="treadle"
        )
    except psycopg.ProgrammingError:
        # Its message quotes a part of the URL, which may hold the password.
        raise _invalid_url() from None
    connection.adapters.register_loader("numeric", _NumericLoader)
    connection.execute(f"SET search_path TO {SCHEMA}")
    connection.execute(f"SET lock_timeout TO '{LOCK_TIMEOUT}'")
    return connection


def _invalid_url() -> SettingsError:
    return SettingsError(
        "database.url is not the address of a PostgreSQL database",
        hint="write it as postgresql://user:password@host:5432/name",
    )


def _begin(connection: Connection, lock: str) -> None:
    connection.execute("BEGIN")
    try:
        name = f"{SCHEMA} {lock}"
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: Connection) -> None:
    """Roll back, unless the connection is lost, which does the same."""
    if not connection.closed:
        connection.execute("ROLLBACK")


def _migrate(connection: Connection, display_url: str) -> None:
    version = _version(connection)
    refuse_newer(version, display_url)
    if version == VERSION:
        return

    def apply(number: int, script: str) -> None:
        for statement in split_statements(for_postgres(script)):
            connection.execute(statement.encode())
        connection.execute("DELETE FROM schema_version")
        connection.execute("INSERT INTO schema_version (number) VALUES (%s)", (number,))

    _begin(connection, "schema")
    try:
        # Another process may have migrated while we waited for the lock.
        version = _version(connection)
        if version == 0:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            connection.execute("CREATE TABLE schema_version (number BIGINT NOT NULL)")
        bring_up_to_date(version, apply)
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _version(connection: Connection) -> int:
    if _execute(connection, "SELECT to_regclass(?)", (f"{SCHEMA}.schema_version",)) == [(None,)]:
        return 0
    return int(_execute(connection, "SELECT number FROM schema_version")[0][0])


def store_error(display_url: str, error: psycopg.Error) -> StoreError:
    """One line for a person, by the class of the error."""
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    match error:
        case errors.DiskFull():
            return StoreError(
                f"no space left on the server of {display_url}",
                hint="free some space; nothing that was stored is lost",
            )
        case errors.ReadOnlySqlTransaction() | errors.InsufficientPrivilege():
            return StoreError(
                f"cannot write to {display_url}: {text}",
                hint="use a server and a user that may write to the schema treadle",
            )
        case errors.LockNotAvailable() | errors.QueryCanceled() | errors.DeadlockDetected():
            return StoreError(
                f"cannot write to {display_url}: {text}",
                hint="another process holds it; try again later",
            )
        case psycopg.OperationalError():
            return StoreError(
                f"cannot reach {display_url}: {text}",
                hint="check database.url and that the server is running",
            )
        case _:
            return StoreError(
                f"cannot use {display_url}: {text}",
                hint="check that its schema treadle is Treadle's own",
            )
