"""The file's version: made fresh, taken as it is, refused when newer or broken, in one line."""

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import NOON, RUN
from tests.missing import missing
from treadle.adapters.stores import schema
from treadle.adapters.stores.runs import list_runs
from treadle.adapters.stores.schema import MIGRATIONS, connect, connect_to_read
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.domain.errors import StoreError
from treadle.domain.events.agent import AgentSpoke


def version_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()


def tables_of(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    try:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
        return {name for (name,) in names}
    finally:
        connection.close()


def test_a_fresh_file_has_every_table_and_the_newest_version(tmp_path: Path) -> None:
    connect(tmp_path / "events.db").close()

    assert version_of(tmp_path / "events.db") == len(MIGRATIONS)
    assert tables_of(tmp_path / "events.db") == {"events", "runs"}


def test_a_file_of_this_version_is_taken_as_it_is(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.append(RUN, [(NOON, AgentSpoke("kept"))])
    store.close()

    connect(tmp_path / "events.db").close()

    again = SqliteStore(tmp_path)
    assert [each.event for each in again.read(RUN)] == [AgentSpoke("kept")]
    again.close()


def test_an_older_file_gets_the_scripts_it_lacks_and_keeps_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path)
    store.append(RUN, [(NOON, AgentSpoke("old"))])
    store.close()
    added = ("CREATE TABLE stars (name TEXT); CREATE INDEX by_name ON stars (name)",)
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, *added))

    newer = SqliteStore(tmp_path)

    assert version_of(tmp_path / "events.db") == len(MIGRATIONS) + 1
    assert tables_of(tmp_path / "events.db") == {"events", "runs", "stars"}
    assert [each.event for each in newer.read(RUN)] == [AgentSpoke("old")]
    newer.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(tmp_path / "events.db").close()
    broken = ("CREATE TABLE stars (name TEXT); CREATE TABLE events (again TEXT)",)
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, *broken))

    with pytest.raises(StoreError, match="table events already exists"):
        connect(tmp_path / "events.db")

    assert version_of(tmp_path / "events.db") == len(MIGRATIONS)
    assert tables_of(tmp_path / "events.db") == {"events", "runs"}


def test_a_newer_file_is_refused_to_writers_and_readers(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    connect(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()

    for attempt in (connect, connect_to_read):
        with pytest.raises(StoreError) as caught:
            attempt(path)
        assert (caught.value.message, caught.value.hint) == (
            f"{path} was written by a newer Treadle (schema 99)",
            "update Treadle, or set TREADLE_ROOT to another directory",
        )


def damage(path: Path) -> None:
    connect(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\0" * (len(whole) - 4096))


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        ("this is no database, but it is long enough to be looked at. " * 20, "is not a database"),
        ("damaged", "malformed"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(
    tmp_path: Path, contents: str, complaint: str
) -> None:
    path = tmp_path / "events.db"
    if contents == "damaged":
        damage(path)
    else:
        path.write_text(contents)

    for attempt in (use, list_runs):
        with pytest.raises(StoreError) as caught:
            attempt(tmp_path)
        assert caught.value.message.startswith(f"cannot use {path}: ")
        assert complaint in caught.value.message
        assert caught.value.hint == "move the file away to start a new one"


def use(root: Path) -> object:
    store = SqliteStore(root)
    try:
        return store.append(RUN, [(NOON, AgentSpoke("a"))])
    finally:
        store.close()


def test_no_file_at_all_is_no_error_for_readers(tmp_path: Path) -> None:
    assert connect_to_read(tmp_path / "events.db") is None
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_hold_a_file_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / "events.db").mkdir(parents=True)

    for root in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / "folder"):
        with pytest.raises(StoreError) as caught:
            SqliteStore(root)
        assert caught.value.message.startswith("cannot ")
        assert str(root / "events.db") in caught.value.message
        assert caught.value.hint


# Played in a mount of its own, so that the disk is really full and really read-only.
ON_A_SMALL_DISK = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from subprocess import run

from treadle.adapters.stores.sqlite import SqliteStore
from treadle.domain.errors import StoreError
from treadle.domain.events.agent import AgentSpoke

disk = Path(sys.argv[1])
ballast = disk / "ballast"
ballast.write_bytes(bytes(100_000))
events = [(datetime.now(UTC), AgentSpoke("x" * 4000))] * 3


def stored(store):
    return [each.seq for each in store.read("run")]


store, taken = SqliteStore(disk), 0
try:
    while taken < 3000:
        taken += len(store.append("run", events))
except StoreError as error:
    print(error.message.replace(str(disk), "DISK"), "|", error.hint)
print(stored(store) == list(range(1, taken + 1)))
ballast.unlink()
print([each.seq - taken for each in store.append("run", events)])
store.close()
run(["mount", "-o", "remount,ro", str(disk)], check=True)
try:
    SqliteStore(disk).append("run", events)
except StoreError as error:
    print(error.message.replace(str(disk), "DISK").partition(":")[0], "|", error.hint)
"""


def test_a_full_disk_and_a_read_only_one_are_told_apart_and_nothing_stored_is_lost(
    tmp_path: Path,
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = 'mount -t tmpfs -o size=600k none "$0" && exec "$@"'
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c", mounted, str(disk)]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        missing("this machine does not let a test mount a small disk of its own")

    played = subprocess.run(
        [*alone, sys.executable, "-c", ON_A_SMALL_DISK, str(disk)],
        check=False,
        capture_output=True,
        text=True,
    )

    assert (played.stdout.splitlines(), played.stderr) == (
        [
            "no space left to write DISK/events.db"
            " | free some space; nothing that was stored is lost",
            "True",
            "[1, 2, 3]",
            "cannot write DISK/events.db"
            " | make the directory writable, or set TREADLE_ROOT to one that is",
        ],
        "",
    )
