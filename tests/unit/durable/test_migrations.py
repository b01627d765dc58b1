"""The engine's file: made whole or not at all, copied before it is changed, never a newer one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from dbos._migration import sqlite_migrations

from treadle.domain.errors import StoreError
from treadle.durable.client import enqueue
from treadle.durable.connections import open_pool
from treadle.durable.migrations import bring_up_to_date
from treadle.durable.queries import find_workflow, unfinished_workflows
from treadle.durable.stored_workflow import StoredWorkflow, WorkflowStatus


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "root" / "engine.db"


@pytest.fixture
def location(path: Path) -> str:
    return f"sqlite:///{path}"


def version(path: Path, becomes: int | None = None) -> int:
    with closing(sqlite3.connect(path)) as connection:
        if becomes is not None:
            connection.execute("UPDATE dbos_migrations SET version=?", (becomes,))
            connection.commit()
        [found] = connection.execute("SELECT version FROM dbos_migrations").fetchone()
    return int(found)


def copies(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir() if "before" in each.name)


def test_a_new_file_is_nobody_elses_to_read(path: Path, location: str) -> None:
    enqueue(location, "w", "plain", "secret")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM workflow_status").fetchall()
        modes = {each.name: each.stat().st_mode & 0o777 for each in path.parent.iterdir()}

    assert set(modes.values()) == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_what_is_stored_can_be_read_as_text(path: Path, location: str) -> None:
    enqueue(location, "w", "plain", {"goal": "ship"})
    with closing(sqlite3.connect(path)) as connection:
        [(stored,)] = connection.execute("SELECT inputs FROM workflow_input").fetchall()
        [(journal,)] = connection.execute("PRAGMA journal_mode").fetchall()

    assert (stored, journal) == ('{"args":["plain",{"goal":"ship"}],"kwargs":{}}', "wal")


def test_looking_at_a_file_that_is_not_there_makes_none(path: Path, location: str) -> None:
    assert (unfinished_workflows(location), find_workflow(location, "w")) == ((), None)
    assert not path.parent.exists()


def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(path: Path, location: str) -> None:
    bring_up_to_date(location)
    newer = version(path, becomes=version(path) + 1)
    with pytest.raises(StoreError) as raised:
        bring_up_to_date(location)

    assert raised.value.message.startswith(f"{path} was written by a newer Treadle (engine tables")
    assert raised.value.hint == "update Treadle, or set TREADLE_ROOT to another directory"
    assert (version(path), copies(path)) == (newer, [])


def older_file(path: Path, version: int) -> None:
    """A file as the version of the library with so many migrations left it."""
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE dbos_migrations (version INTEGER NOT NULL PRIMARY KEY)")
        connection.execute("INSERT INTO dbos_migrations VALUES (?)", (version,))
        for script in sqlite_migrations[:version]:
            connection.executescript(script)
        waiting = "INSERT INTO workflow_status (workflow_uuid, status) VALUES ('w', 'ENQUEUED')"
        connection.execute(waiting)
        connection.commit()


OLD = len(sqlite_migrations) - 5


def test_an_older_file_is_copied_before_it_is_brought_up_to_date(path: Path, location: str) -> None:
    older_file(path, OLD)
    bring_up_to_date(location)

    [copy] = copies(path)
    assert copy == f"engine.db.before-upgrade-from-{OLD}"
    assert (version(path), version(path.with_name(copy))) == (len(sqlite_migrations), OLD)
    assert path.with_name(copy).stat().st_mode & 0o777 == 0o600
    waiting = [StoredWorkflow("w", WorkflowStatus.WAITING, "", "")]
    assert unfinished_workflows(location) == waiting
    assert unfinished_workflows(f"sqlite:///{path.with_name(copy)}") == waiting


def test_of_the_copies_the_newest_two_are_kept(path: Path, location: str) -> None:
    for old in (OLD + 2, OLD, OLD + 1):
        older_file(path, old)
        bring_up_to_date(location)

    assert copies(path) == [f"engine.db.before-upgrade-from-{old}" for old in (OLD, OLD + 1)]


def test_an_upgrade_that_does_not_come_to_its_end_changes_nothing(
    path: Path, location: str
) -> None:
    older_file(path, OLD)
    # The last script adds this column, and trips over it after all others were run.
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE workflow_status ADD COLUMN creator_xid TEXT")
    before = tables(path)
    with pytest.raises(StoreError):
        bring_up_to_date(location)

    assert (tables(path), version(path)) == (before, OLD)


def tables(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master ORDER BY name")]


def test_the_time_functions_of_a_newer_sqlite_are_there(location: str) -> None:
    with open_pool(location) as pool, pool.begin() as connection:
        seconds, parts = connection.execute(
            sa.text("SELECT unixepoch(), unixepoch('subsec')")
        ).one()

    assert isinstance(seconds, int)
    assert 0 <= parts - seconds < 60
    assert isinstance(parts, float)


@pytest.mark.parametrize("location", ["mysql://localhost/x", "engine.db", "postgresql://localhost"])
def test_a_location_that_is_none_is_refused_in_words(location: str) -> None:
    with pytest.raises(StoreError) as raised:
        bring_up_to_date(location)

    assert raised.value.message == (
        "the database location is neither a SQLite file nor a PostgreSQL URL"
    )


def test_a_server_that_does_not_answer_is_named_without_the_password() -> None:
    with pytest.raises(StoreError) as raised:
        bring_up_to_date("postgresql://ada:secret@127.0.0.1:1/treadle")

    assert raised.value.message.startswith("cannot use postgresql://ada:***@127.0.0.1:1/treadle: ")
    assert "\n" not in raised.value.message
    assert raised.value.hint == "check that the server runs and that the location is right"


def test_a_file_that_is_no_database_is_refused_in_words(path: Path, location: str) -> None:
    path.parent.mkdir()
    path.write_text("no database, but long enough to look at" * 100, encoding="utf-8")
    with pytest.raises(StoreError) as raised:
        bring_up_to_date(location)

    assert raised.value.message == f"cannot use {path}: file is not a database"
    assert raised.value.hint == "move the file away to start a new one"
