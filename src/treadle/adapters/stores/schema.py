"""The tables, their version, and the migrations of older databases."""

import re
from collections.abc import Callable, Iterator

from treadle.domain.errors import StoreError

# The number of scripts; a constant, so that a version check does not load them.
VERSION = 3

# The types of most events. All others are found by an index; a query must use the same condition
# as the index.
BULK = (
    "agent.spoke",
    "agent.thought",
    "message.skipped",
    "prompt.sent",
    "tool.called",
    "tool.decided",
    "tool.finished",
    "usage.reported",
)
LANDMARK = f"type NOT IN ({', '.join(map(repr, BULK))})"
LANDMARKS_OF_A_RUN = f"SELECT seq FROM events WHERE run=? AND {LANDMARK}"  # noqa: S608

_EVENTS_AND_RUNS = """
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
"""

# What a run waits for and until when, and the machine of its process.
_LIFECYCLE = f"""
    ALTER TABLE runs ADD COLUMN until TEXT NOT NULL DEFAULT '';
    ALTER TABLE runs ADD COLUMN waiting_for TEXT NOT NULL DEFAULT '';
    ALTER TABLE runs ADD COLUMN host TEXT NOT NULL DEFAULT '';
    ALTER TABLE runs ADD COLUMN cleaned_at TEXT NOT NULL DEFAULT '';
    CREATE INDEX runs_by_time ON runs (started_at);
    CREATE INDEX landmarks ON events (run, type, seq) WHERE {LANDMARK};
    CREATE TABLE told_once (
      run TEXT NOT NULL,
      key TEXT NOT NULL,
      PRIMARY KEY (run, key)
    ) WITHOUT ROWID;
"""

# A run's running time at its last end, and when it was reopened.
_RUNNING_TIME = """
    ALTER TABLE runs ADD COLUMN duration_s REAL;
    ALTER TABLE runs ADD COLUMN reopened_at TEXT NOT NULL DEFAULT '';
"""

# Collation "C" sorts times and ids as SQLite does.
_POSTGRES_WORDS = {
    "TEXT": 'TEXT COLLATE "C"',
    "WITHOUT ROWID": "",
    "INTEGER": "BIGINT",
    "REAL": "DOUBLE PRECISION",
    "BLOB": "BYTEA",
}
_SQLITE_WORDS = re.compile(r"\b(" + "|".join(_POSTGRES_WORDS) + r")\b")


def migrations() -> tuple[str, ...]:
    """One script per version; a database at version n gets every script after the n-th.

    Never edit a released script: add the next one, and increase VERSION.
    """
    from treadle.adapters.stores.approval_store import APPROVALS_TABLES
    from treadle.adapters.stores.control_requests import REQUESTS_TABLES
    from treadle.adapters.stores.ledger import LEDGER_TABLES
    from treadle.adapters.stores.service_health import BREAKERS_TABLES, QUOTA_TABLES

    version_2 = (
        _LIFECYCLE,
        LEDGER_TABLES,
        APPROVALS_TABLES,
        BREAKERS_TABLES,
        QUOTA_TABLES,
        REQUESTS_TABLES,
    )
    return _EVENTS_AND_RUNS, ";".join(version_2), _RUNNING_TIME


def split_statements(script: str) -> Iterator[str]:
    """The statements of a script; none contains a semicolon."""
    return (statement for statement in script.split(";") if statement.strip())


def for_postgres(script: str) -> str:
    """The script in PostgreSQL's dialect."""
    return _SQLITE_WORDS.sub(lambda match: _POSTGRES_WORDS[match[1]], script)


def bring_up_to_date(version: int, apply: Callable[[int, str], None]) -> None:
    """Apply, in order, each script that a database at `version` lacks."""
    scripts = migrations()
    for number in range(version, len(scripts)):
        apply(number + 1, scripts[number])


def refuse_newer(version: int, name: str) -> None:
    if version > VERSION:
        raise StoreError(
            f"{name} was written by a newer Treadle (schema {version})",
            hint="update Treadle, or set TREADLE_ROOT to another directory",
        )
