"""The SQLite database of one machine, safe to read while a run writes."""

import errno
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from typing import Literal

from treadle.adapters.stores.database import Row, Value
from treadle.adapters.stores.schema import VERSION, bring_up_to_date, refuse_newer, split_statements
from treadle.domain.errors import StoreError

FILE_NAME = "events.db"
BUSY_TIMEOUT_S = 30
BACKUPS_KEPT = 2


def file_of(root: Path) -> Path:
    """The database file below the root."""
    return root / FILE_NAME


class SqliteCursor:
    """The `Cursor` of a SqliteDatabase."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def executemany(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        self._connection.executemany(sql, rows)


class SqliteDatabase:
    """The `Database` on one file."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._mutex = RLock()
        with _translate_errors(path):
            self._connection = _connect_to_read(path) if read_only else _connect(path)
        self._identity = self._file()

    @contextmanager
    def transaction(self, lock: str = "") -> Iterator[SqliteCursor]:
        with self._mutex, _translate_errors(self._path):
            if self._connection.in_transaction:
                raise RuntimeError("a transaction inside another one")
            self._refuse_if_removed()
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteCursor(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                _roll_back(self._connection)
                raise

    def query(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        with self._mutex, _translate_errors(self._path):
            return self._connection.execute(sql, values).fetchall()

    def close(self) -> None:
        with self._mutex:
            self._connection.close()

    def _refuse_if_removed(self) -> None:
        if self._file() != self._identity:
            # SQLite would keep writing to a file that no reader can find.
            raise StoreError(
                f"{self._path} was removed while a run was using it",
                hint="start again; the work so far is on the run's branch or in its clone",
            )

    def _file(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino


def open_existing(root: Path) -> SqliteDatabase | None:
    """Open the file for reading; None if it is missing or just being created."""
    path = file_of(root)
    try:
        path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise store_error(path, error) from error
    database = SqliteDatabase(path, read_only=True)
    version = database.query("PRAGMA user_version")[0][0]
    if version == VERSION:
        return database
    database.close()
    if version == 0:
        return None
    # Written by an older version: opening it for writing migrates it.
    SqliteDatabase(path).close()
    return SqliteDatabase(path, read_only=True)


def _connect(path: Path) -> sqlite3.Connection:
    # Private: it holds prompts and tool results.
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    connection = sqlite3.connect(
        path, isolation_level=None, timeout=BUSY_TIMEOUT_S, check_same_thread=False
    )
    with _close_on_failure(connection):
        connection.execute("PRAGMA journal_mode=WAL")
        # A stored event must survive a power cut: its effect may have happened.
        connection.execute("PRAGMA synchronous=FULL")
        _migrate(connection, path)
    return connection


def _connect_to_read(path: Path) -> sqlite3.Connection:
    address = f"{path.as_uri()}?mode=ro"
    connection = sqlite3.connect(
        address, uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_S, check_same_thread=False
    )
    with _close_on_failure(connection):
        refuse_newer(_version(connection), str(path))
    return connection


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    version = _version(connection)
    refuse_newer(version, str(path))
    if version == VERSION:
        return

    def apply(number: int, script: str) -> None:
        for statement in split_statements(script):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={number}")

    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have migrated while we waited for the lock.
        version = _version(connection)
        if 0 < version < VERSION:
            _back_up(path, version)
        bring_up_to_date(version, apply)
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _back_up(path: Path, version: int) -> None:
    """Copy the file, named by its version. Uses a second connection, because one in a write
    transaction cannot be copied from."""
    target = path.with_name(f"{path.name}.version-{version}")
    unfinished = target.with_name(f"{target.name}.part")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    with closing(_connect_to_read(path)) as source, closing(sqlite3.connect(unfinished)) as copy:
        source.backup(copy)
    unfinished.replace(target)
    backup_files = path.parent.glob(f"{path.name}.version-*")
    backups = {int(each.suffix[9:]): each for each in backup_files if each.suffix[9:].isdecimal()}
    for number in sorted(backups)[:-BACKUPS_KEPT]:
        backups[number].unlink(missing_ok=True)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _roll_back(connection: sqlite3.Connection) -> None:
    """Roll back, unless SQLite did so itself (on a full disk): a second rollback would raise, and
    hide the first error."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


@contextmanager
def _close_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise store_error(path, error) from error


def store_error(path: Path, error: Exception) -> StoreError:
    """One line for a person about an error of the file or its disk."""
    text = error.strerror if isinstance(error, OSError) else str(error)
    match _failure_kind(error):
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
                f"cannot write {path}: {text}", hint="check the disk and its free space"
            )
        case "broken":
            return StoreError(
                f"cannot use {path}: {text}", hint="move the file away to start a new one"
            )


def _failure_kind(error: Exception) -> Literal["full", "closed", "busy", "failing", "broken"]:
    """By code, not by text: a path in the text may contain any word."""
    if isinstance(error, OSError):
        return "full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "closed"
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the other bits are details
    if code == sqlite3.SQLITE_FULL:
        return "full"
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return "closed"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "busy"
    return "failing" if code == sqlite3.SQLITE_IOERR else "broken"
