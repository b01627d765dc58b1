"""The file's version: made fresh, taken as it is, refused when newer or broken, in one line."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.builders import NOON, RUN, run_started
from tests.missing import missing
from treadle.adapters.stores import schema, sqlite
from treadle.adapters.stores.database import open_to_read
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.run_list import list_runs
from treadle.adapters.stores.schema import VERSION, migrations
from treadle.domain.errors import StoreError
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.storage import Storage
from treadle.domain.wire import encode

TABLES = {
    "approvals",
    "breakers",
    "events",
    "ledger",
    "quota_gates",
    "requests",
    "runs",
    "told_once",
}


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def tables_of(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
        return {name for (name,) in names}


def names_in(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir() if not path.name.endswith(("-wal", "-shm"))}


def make_first_version(path: Path) -> None:
    """As the first Treadle wrote it, with a run in it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(migrations()[0])
        connection.execute(
            "INSERT INTO runs (id, workflow, project_path, project_key, state, reason, started_at)"
            " VALUES (?, 'deliver', '/project', 'key', 'ended', 'stuck', ?)",
            (RUN, NOON.isoformat()),
        )
        connection.execute(
            "INSERT INTO events VALUES (?, 1, ?, 'run.started', ?)",
            (RUN, NOON.isoformat(), encode(run_started())),
        )
        connection.execute("PRAGMA user_version=1")
        connection.commit()


def test_the_version_counts_the_scripts() -> None:
    assert len(migrations()) == VERSION


def test_a_fresh_file_has_every_table_and_the_newest_version_and_is_nobody_elses(
    tmp_path: Path,
) -> None:
    open_store(Storage(tmp_path)).close()

    assert version_of(tmp_path / "events.db") == VERSION
    assert tables_of(tmp_path / "events.db") == TABLES
    assert names_in(tmp_path) == {"events.db"}
    assert (tmp_path / "events.db").stat().st_mode & 0o777 == 0o600


def test_a_file_of_this_version_is_taken_as_it_is(tmp_path: Path) -> None:
    with closing(open_store(Storage(tmp_path))) as store:
        store.append(RUN, [(NOON, AgentSpoke("kept"))])

    with closing(open_store(Storage(tmp_path))) as again:
        assert [each.event for each in again.read(RUN)] == [AgentSpoke("kept")]
    assert names_in(tmp_path) == {"events.db"}


def look(root: Path) -> None:
    list_runs(Storage(root))


def use(root: Path) -> None:
    with closing(open_store(Storage(root))) as store:
        store.append(RUN, [(NOON, AgentSpoke("a"))])


@pytest.mark.parametrize("first", [look, use])
def test_a_file_of_the_first_version_is_brought_up_to_date_and_backed_up(
    tmp_path: Path, first: Callable[[Path], None]
) -> None:
    path, backup = tmp_path / "events.db", tmp_path / "events.db.version-1"
    make_first_version(path)

    first(tmp_path)

    assert (version_of(path), tables_of(path)) == (VERSION, TABLES)
    assert [(row.id, row.state, row.until) for row in list_runs(Storage(tmp_path))] == [
        (RUN, "ended", "")
    ]
    with closing(open_store(Storage(tmp_path))) as store:
        assert [each.event for each in store.read(RUN, limit=1)] == [run_started()]
    assert names_in(tmp_path) == {"events.db", "events.db.version-1"}
    assert (version_of(backup), tables_of(backup)) == (1, {"events", "runs"})
    assert backup.stat().st_mode & 0o777 == 0o600


def test_of_the_backups_the_newest_two_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.db"
    make_first_version(path)
    for number in range(2, 13):
        scripts = (*migrations(), *(f"CREATE TABLE t{n} (a TEXT)" for n in range(3, number + 1)))
        pretend(monkeypatch, scripts[:number])
        open_store(Storage(tmp_path)).close()

    assert version_of(path) == 12
    assert names_in(tmp_path) == {
        "events.db",
        "events.db.version-10",
        "events.db.version-11",
    }


def pretend(monkeypatch: pytest.MonkeyPatch, scripts: tuple[str, ...]) -> None:
    """The Treadle of these scripts."""
    monkeypatch.setattr(schema, "migrations", lambda: scripts)
    monkeypatch.setattr(schema, "VERSION", len(scripts))
    monkeypatch.setattr(sqlite, "VERSION", len(scripts))


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.db"
    make_first_version(path)
    broken = "CREATE TABLE stars (name TEXT); CREATE TABLE events (again TEXT)"
    with monkeypatch.context() as patch:
        pretend(patch, (migrations()[0], broken))
        with pytest.raises(StoreError, match="table events already exists"):
            open_store(Storage(tmp_path))

    assert (version_of(path), tables_of(path)) == (1, {"events", "runs"})
    use(tmp_path)
    assert (version_of(path), tables_of(path)) == (VERSION, TABLES)


def test_a_newer_file_is_refused_to_writers_and_readers(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    open_store(Storage(tmp_path)).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version=99")

    for attempt in (look, use):
        with pytest.raises(StoreError) as caught:
            attempt(tmp_path)
        assert (caught.value.message, caught.value.hint) == (
            f"{path} was written by a newer Treadle (schema 99)",
            "update Treadle, or set TREADLE_ROOT to another directory",
        )


def damage(path: Path) -> None:
    open_store(Storage(path.parent)).close()
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

    for attempt in (use, look):
        with pytest.raises(StoreError) as caught:
            attempt(tmp_path)
        assert caught.value.message.startswith(f"cannot use {path}: ")
        assert complaint in caught.value.message
        assert caught.value.hint == "move the file away to start a new one"


def test_no_file_at_all_is_no_error_for_readers(tmp_path: Path) -> None:
    assert open_to_read(Storage(tmp_path)) is None
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_hold_a_file_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / "events.db").mkdir(parents=True)

    for root in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / "folder"):
        with pytest.raises(StoreError) as caught:
            open_store(Storage(root))
        assert caught.value.message.startswith("cannot ")
        assert str(root / "events.db") in caught.value.message
        assert caught.value.hint


# Played in a mount of its own, so that the disk is really full and really read-only.
ON_A_SMALL_DISK = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from subprocess import run

from treadle.adapters.stores.event_store import EventStore, open_store
from treadle.domain.errors import StoreError
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.storage import Storage

disk = Path(sys.argv[1])
ballast = disk / "ballast"
ballast.write_bytes(bytes(100_000))
events = [(datetime.now(UTC), AgentSpoke("x" * 4000))] * 3


def stored(store):
    return [each.seq for each in store.read("run")]


store, taken = open_store(Storage(disk)), 0
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
    open_store(Storage(disk)).append("run", events)
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
