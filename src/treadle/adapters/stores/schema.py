"""The tables of events.db, their version, and how an older file is brought up to date."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from treadle.domain.errors import StoreError

FILE_NAME = "events.db"

# One script per version; a file at version n gets every script after the n-th. Never edit one
# that has been released: add the next.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE events (
      run  TEXT NOT NULL,
      seq  INTEGER NOT NULL,
      at   TEXT NOT NULL,
      type TEXT NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (run, seq)
    ) WITHOUT ROWID;
    CREATE TABLE runs (
      id           TEXT PRIMARY KEY,
      workflow     TEXT NOT NULL,
      project_path TEXT NOT NULL,
      project_key  TEXT NOT NULL,
      state        TEXT NOT NULL,
      reason       TEXT NOT NULL DEFAULT '',
      sandbox      TEXT NOT NULL DEFAULT '',
      rehearsal    INTEGER NOT NULL DEFAULT 0,
      planned      TEXT NOT NULL DEFAULT '',
      started_at   TEXT NOT NULL,
      ended_at     TEXT NOT NULL DEFAULT '',
      rounds       INTEGER NOT NULL DEFAULT 0,
      passed       INTEGER NOT NULL DEFAULT 0,
      blocked      INTEGER NOT NULL DEFAULT 0,
      total        INTEGER NOT NULL DEFAULT 0,
      cost_usd     REAL NOT NULL DEFAULT 0,
      branch       TEXT NOT NULL DEFAULT '',
      snapshot     TEXT NOT NULL DEFAULT '',
      landed       TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID;
    CREATE INDEX runs_by_project ON runs (project_key, started_at);
    """,
)


def connect(path: Path) -> sqlite3.Connection:
    """A connection to an up-to-date file, made if it is not there."""
    try:
        # Prompts and tool results are nobody else's to read.
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        connection = sqlite3.connect(
            path, isolation_level=None, timeout=30, check_same_thread=False
        )
        with _closed_on_failure(connection):
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            _migrate(connection, path)
    except (sqlite3.Error, OSError) as error:
        raise store_error(path, error) from error
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection | None:
    """A connection that cannot change the file, or None when there is no file yet."""
    if not path.exists():
        return None
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)
        with _closed_on_failure(connection):
            version = _version(connection)
            _refuse_newer(version, path)
    except (sqlite3.Error, OSError) as error:
        raise store_error(path, error) from error
    if version < len(MIGRATIONS):
        # Made in this very moment, or by an older Treadle: the first run brings it up to date.
        connection.close()
        return None
    return connection


@contextmanager
def _closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def roll_back(connection: sqlite3.Connection) -> None:
    """Undo what was begun. A full disk makes SQLite do so by itself, and asking twice is an
    error that would hide the first."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def store_error(path: Path, error: Exception) -> StoreError:
    """The one line a person gets when the file or the disk under it does not work."""
    text = error.strerror if isinstance(error, OSError) else str(error)
    match _kind(error):
        case "full":
            return StoreError(
                f"no space left to write {path}",
                hint="free some space; nothing that was stored is lost",
            )
        case "closed":
            return StoreError(
                f"cannot write {path}: {text}",
                hint="make the directory writable, or set TREADLE_ROOT to one that is",
            )
        case "busy":
            return StoreError(
                f"cannot write {path}: {text}", hint="another process holds it; try again later"
            )
        case "failing":
            return StoreError(
                f"cannot write {path}: {text}", hint="check the disk and the room left on it"
            )
        case "broken":
            return StoreError(
                f"cannot use {path}: {text}", hint="move the file away to start a new one"
            )


def _kind(error: Exception) -> Literal["full", "closed", "busy", "failing", "broken"]:
    """By code and not by words: a path in the words may hold any of them."""
    if isinstance(error, OSError):
        return "full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "closed"
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest of it says where, not what
    if code == sqlite3.SQLITE_FULL:
        return "full"
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return "closed"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "busy"
    return "failing" if code == sqlite3.SQLITE_IOERR else "broken"


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    version = _version(connection)
    _refuse_newer(version, path)
    if version == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have migrated while we waited for the lock.
        for number in range(_version(connection), len(MIGRATIONS)):
            for statement in MIGRATIONS[number].split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version={number + 1}")
    except sqlite3.Error:
        roll_back(connection)
        raise
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _refuse_newer(version: int, path: Path) -> None:
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer Treadle (schema {version})",
            hint="update Treadle, or set TREADLE_ROOT to another directory",
        )
