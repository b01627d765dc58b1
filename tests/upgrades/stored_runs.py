"""Runs as an earlier version left them: made by it, packed, and unpacked under another path."""

import re
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

ARCHIVE = Path(__file__).with_name("stored_runs.tar.xz")
# Where they were made: the same on every machine, and of no machine.
MADE_AT = Path("/tmp/treadle-stored-runs")
DATABASES = ("events.db", "engine.db")
HOST = "host.example"


def pack(directory: Path, host: str, archive: Path = ARCHIVE) -> None:
    """Pack what the runs left, without the name of the machine."""
    for name in DATABASES:
        _replace_in_database(directory / "root" / name, f"{host}:{MADE_AT}", f"{HOST}:{MADE_AT}")
    with tarfile.open(archive, "w:xz") as packed:
        packed.add(directory, arcname=".", filter=_anonymous)


def unpack(directory: Path, archive: Path = ARCHIVE) -> None:
    """Unpack the runs into a directory, as if they had been made there."""
    with tarfile.open(archive) as packed:
        packed.extractall(directory, filter="tar")
    for name in DATABASES:
        _replace_in_database(directory / "root" / name, str(MADE_AT), str(directory))
    _replace_in_files(directory, str(MADE_AT), str(directory))
    # Claude Code keeps transcripts in folders that are named for the working directory.
    for folder in sorted(directory.glob("root/runs/*/home/.claude/projects/*")):
        folder.rename(folder.with_name(folder.name.replace(_named(MADE_AT), _named(directory))))


def _named(path: Path) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "-", str(path))


def _replace_in_database(file: Path, old: str, new: str) -> None:
    def replaced(value: str | bytes | float | None) -> str | bytes | float | None:
        match value:
            case str():
                return value.replace(old, new)
            case bytes():
                return value.replace(old.encode(), new.encode())
            case _:
                return value

    with closing(sqlite3.connect(file)) as database:
        database.create_function("replaced", 1, replaced)
        tables = database.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
        for (table,) in tables:
            columns = [each[1] for each in database.execute(f"PRAGMA table_info({table})")]
            values = ", ".join(f"{column}=replaced({column})" for column in columns)
            database.execute(f"UPDATE {table} SET {values}")  # noqa: S608
        database.commit()
        # One file, which can be packed and read anywhere.
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _replace_in_files(directory: Path, old: str, new: str) -> None:
    for path in directory.rglob("*"):
        if path.is_symlink() or not path.is_file() or ".db" in path.name:
            continue
        content = path.read_bytes()
        if old.encode() in content:
            mode = path.stat().st_mode
            path.chmod(0o600)
            path.write_bytes(content.replace(old.encode(), new.encode()))
            path.chmod(mode)


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    kept = entry.isfile() or entry.isdir() or entry.issym()
    return entry if kept else None
