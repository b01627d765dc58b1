"""A process that looks at the engine's file keeps the locks that its other connections have."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from treadle.durable.database import connected

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
        with connected(f"sqlite:///{path}"):
            pass

        for name in ("first", "second"):
            visit(path, name)
            rows = staying.execute("SELECT name FROM visits ORDER BY rowid").fetchall()
            seen.append([found for (found,) in rows])

        assert path.with_name("engine.db-wal").exists()
    assert seen == [["first"], ["first", "second"]]
