"""Connections to the engine's database, and the messages for its failures."""

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from treadle.domain.errors import StoreError

# Since then SQLite has `unixepoch('subsec')`; the engine checks the version of Python instead.
_SUBSECONDS_SINCE = (3, 42)
_POOL = 20


@contextmanager
def open_pool(location: str) -> Iterator[sa.Engine]:
    """Open connections to `sqlite:///<path>`, a file that is created if missing, or PostgreSQL."""
    with translate_errors(location):
        pool = _sqlite_pool(location) if is_sqlite(location) else _postgres_pool(location)
    try:
        yield pool
    finally:
        pool.dispose()


def is_sqlite(location: str) -> bool:
    return location.startswith("sqlite:")


def file_of(location: str) -> Path:
    """The file behind a SQLite location."""
    return Path(sa.make_url(location).database or "")


def begin_immediately(pool: sa.Engine) -> None:
    """Make every transaction of the SQLite `pool` immediate, including changes of tables."""

    def disable_autobegin(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None

    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    sa.event.listen(pool, "connect", disable_autobegin)
    sa.event.listen(pool, "begin", begin)


def _sqlite_pool(location: str) -> sa.Engine:
    path = file_of(location)
    # Private: it holds the requests of runs. SQLite gives its side files the same mode.
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Opened only if it is new: closing any descriptor of the file drops all locks that this
    # process holds on it, and other processes could then remove its write-ahead log.
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        _require_writable(path)
    pool = sa.create_engine(location, pool_size=_POOL, max_overflow=_POOL)
    sa.event.listen(pool, "connect", _prepare_sqlite)
    sa.event.listen(pool, "handle_error", _translate_locked_file)
    return pool


def _translate_locked_file(failure: sa.ExceptionContext) -> Exception | None:
    """Reword the error of a file that is locked beyond the timeout: the engine recognizes it by
    its text and would retry for ever."""
    original = failure.original_exception
    code = getattr(original, "sqlite_errorcode", 0)
    if code & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return None
    translated = sqlite3.OperationalError("it has been locked for too long")
    translated.sqlite_errorcode = code
    return OperationalError(failure.statement, failure.parameters, translated)


def _require_writable(path: Path) -> None:
    """Raise the reason, which SQLite does not give."""
    if os.access(path, os.W_OK):
        return
    is_read_only = os.statvfs(path).f_flag & os.ST_RDONLY
    code = errno.EROFS if is_read_only else errno.EACCES
    raise OSError(code, os.strerror(code), str(path))


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = "IMMEDIATE"
    # FULL: steps are rare, and their results must survive a power cut.
    for setting in (
        "busy_timeout=30000",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
    ):
        connection.execute(f"PRAGMA {setting}")
    if sqlite3.sqlite_version_info < _SUBSECONDS_SINCE:
        connection.create_function("unixepoch", -1, _unix_time)


def _unix_time(*arguments: str) -> float:
    return time.time_ns() // 1_000_000 / 1000 if arguments else time.time_ns() // 1_000_000_000


def _postgres_pool(location: str) -> sa.Engine:
    try:
        url = sa.make_url(location)
    except sa.exc.ArgumentError as error:
        raise _invalid_location() from error
    if not url.drivername.startswith("postgres") or not url.database:
        raise _invalid_location()
    pool = sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_size=_POOL,
        max_overflow=_POOL,
        pool_pre_ping=True,
        connect_args={"application_name": "treadle", "connect_timeout": 10},
    )
    sa.event.listen(pool, "handle_error", _mark_disconnect)
    return pool


def _mark_disconnect(failure: sa.ExceptionContext) -> None:
    """Mark a failed connection as a disconnect, so that the engine waits for the server instead
    of giving up."""
    if failure.connection is None and not getattr(failure.original_exception, "sqlstate", None):
        failure.is_disconnect = True


def _invalid_location() -> StoreError:
    return StoreError(
        "the database location is neither a SQLite file nor a PostgreSQL URL",
        hint="write it like postgresql://user@host/treadle",
    )


@contextmanager
def translate_errors(location: str) -> Iterator[None]:
    """Turn errors of the database into a `StoreError`."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise store_error(location, error) from error


def store_error(location: str, error: Exception) -> StoreError:
    """One line for a person about an error of the database or its disk."""
    cause: Any = (error.orig or error) if isinstance(error, DBAPIError) else error
    if is_sqlite(location):
        return _file_error(file_of(location), cause)
    return _server_error(sa.make_url(location).render_as_string(hide_password=True), cause)


def _file_error(path: Path, error: Exception) -> StoreError:
    text = _first_line((error.strerror if isinstance(error, OSError) else None) or str(error))
    # By code, not by text: a path in the text may contain any word.
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return StoreError(
                f"no space left to write {path}",
                hint="free some space; nothing that was stored is lost",
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(
                f"cannot write {path}: {text}", hint="another process holds it; try again later"
            )
        case sqlite3.SQLITE_IOERR:
            return StoreError(
                f"cannot write {path}: {text}", hint="check the disk and its free space"
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreError(
                f"cannot use {path}: {text}", hint="move the file away to start a new one"
            )
        case _:
            return StoreError(
                f"cannot write {path}: {text}",
                hint="make the directory writable, or set TREADLE_ROOT to one that is",
            )


def _server_error(url: str, error: Exception) -> StoreError:
    match getattr(error, "sqlstate", None) or "08":
        case "25006":
            hint = "the server accepts no writes now; try again later"
        case "53100":
            hint = "free some space on the server; nothing that was stored is lost"
        case "3D000":
            hint = "create the database first: createdb"
        case "42501":
            hint = "allow the role to create tables there"
        case _:
            hint = "check that the server runs and that the location is right"
    return StoreError(f"cannot use {url}: {_first_line(str(error))}", hint=hint)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
