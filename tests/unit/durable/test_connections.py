"""A process that looks at the engine's file keeps the locks that its other connections have."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from dbos._utils import retriable_sqlite_exception
from sqlalchemy.exc import OperationalError

from treadle.durable.connections import open_pool, store_error

# The last to leave takes SQLite's log away with it, so nobody else may be taken for gone.
VISIT = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("INSERT INTO visits VALUES (?)", (sys.argv[2],))
connection.close()
"""


def visit(path: Path, name: str) -> None:
    """Another process writes to the file and leaves."""
    subprocess.run([sys.executable, "-c", VISIT, str(path), name], check=True)


def test_what_others_write_after_a_look_is_seen_by_those_who_stayed(tmp_path: Path) -> None:
    path, seen = tmp_path / "engine.db", list[list[str]]()
    with closing(sqlite3.connect(path, isolation_level=None)) as staying:
        staying.execute("PRAGMA journal_mode=WAL")
        staying.execute("CREATE TABLE visits (name TEXT)")
        with open_pool(f"sqlite:///{path}"):
            pass

        for name in ("first", "second"):
            visit(path, name)
            rows = staying.execute("SELECT name FROM visits ORDER BY rowid").fetchall()
            seen.append([found for (found,) in rows])

        assert path.with_name("engine.db-wal").exists()
    assert seen == [["first"], ["first", "second"]]


def test_a_file_that_is_held_for_too_long_is_no_reason_to_try_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "engine.db"
    location = f"sqlite:///{path}"
    with open_pool(location) as pool:
        with pool.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE visits (name TEXT)")
        with closing(sqlite3.connect(path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with pool.connect() as connection:
                connection.exec_driver_sql("PRAGMA busy_timeout=0")
                with pytest.raises(OperationalError) as raised:
                    connection.exec_driver_sql("INSERT INTO visits VALUES ('x')")

    error = store_error(location, raised.value)
    assert not retriable_sqlite_exception(raised.value)
    assert (error.message, error.hint) == (
        f"cannot write {path}: it has been locked for too long",
        "another process holds it; try again later",
    )
