"""The list of runs, read without loading the event types, so that `ls` and `status` are fast."""

import fcntl
import os
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from treadle.adapters.stores.database import Database, Row, Value, open_to_read
from treadle.domain.errors import UsageError
from treadle.domain.ids import RunId, short_id
from treadle.domain.lifecycle import ALIVE, STATES
from treadle.domain.run_row import RunFilter, RunRow
from treadle.domain.storage import Storage

COLUMNS = ", ".join(RunRow.__slots__)
HEX = frozenset("0123456789abcdef")
NO_FILTER = RunFilter()


def run_directory(root: Path, run: RunId) -> Path:
    """Where a run keeps its clone, its agent's home and its lock."""
    return root / "runs" / run


def run_lock(root: Path, run: RunId) -> Path:
    """Held by the process that works on the run, for as long as it lives."""
    return run_directory(root, run) / "run.lock"


def host_of(root: Path) -> str:
    """The machine and directory in which the locks of its runs can be seen."""
    return f"{os.uname().nodename}:{root}"


def list_runs(storage: Storage, wanted: RunFilter = NO_FILTER) -> list[RunRow]:
    """Newest first. A run that says it is alive but has no living owner is `lost`."""
    database = open_to_read(storage)
    if database is None:
        return []
    with closing(database):
        return RunList(database, storage).select(wanted)


def find_run(storage: Storage, reference: str, *, project_key: str = "") -> RunRow:
    """The run with this id or this unique end of one; for `last` the newest, of the project if
    one is named."""
    database = open_to_read(storage)
    if database is None:
        raise _missing(reference, [], project_key=project_key)
    with closing(database):
        return RunList(database, storage).find(reference, project_key=project_key)


class RunList:
    """The runs of an open database, for whoever looks at them more than once."""

    def __init__(self, database: Database, storage: Storage) -> None:
        self._database = database
        self._storage = storage

    def select(self, wanted: RunFilter = NO_FILTER) -> list[RunRow]:
        conditions, values = _conditions(wanted)
        where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
        if not wanted.states:
            return self._rows(f"{where}ORDER BY started_at DESC LIMIT ?", [*values, wanted.limit])
        # Which of them are lost is known only when their locks have been looked at.
        rows = self._rows(f"{where}ORDER BY started_at DESC", values)
        return [row for row in rows if row.state in wanted.states][: wanted.limit]

    def find(self, reference: str, *, project_key: str = "") -> RunRow:
        if reference == "last":
            found = self.select(RunFilter(project_key=project_key, limit=1))
        else:
            found = self._find_by_suffix(reference.replace("-", "").lower())
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(row.id.replace("-", "")[-12:] for row in found[:5])
            raise UsageError(f"{reference!r} fits several runs: {names}", hint="give more digits")
        raise _missing(reference, self.select(RunFilter(limit=5)), project_key=project_key)

    def _find_by_suffix(self, digits: str) -> list[RunRow]:
        if not digits or not set(digits) <= HEX:
            return []
        where = "WHERE replace(id, '-', '') LIKE ? ORDER BY started_at DESC"
        return self._rows(where, [f"%{digits}"])

    def _rows(self, tail: str, values: list[Value]) -> list[RunRow]:
        # The tail is put together of the constants above; values are always bound.
        rows = self._database.query(f"SELECT {COLUMNS} FROM runs {tail}", values)  # noqa: S608
        return [self._row(row) for row in rows]

    def _row(self, values: Row) -> RunRow:
        row = RunRow(*values)
        if row.state not in STATES:
            return replace(row, state="ended")  # a newer Treadle's word
        if row.state in ALIVE and self._is_local(row) and not is_lock_held(self._lock(row)):
            return replace(row, state="lost")
        return row

    def _is_local(self, row: RunRow) -> bool:
        return not self._storage.database_url or row.host == host_of(self._storage.root)

    def _lock(self, row: RunRow) -> Path:
        return run_lock(self._storage.root, row.id)


def _conditions(wanted: RunFilter) -> tuple[list[str], list[Value]]:
    given: list[tuple[str, Value]] = []
    if wanted.project_key:
        given.append(("project_key=?", wanted.project_key))
    if wanted.workflow:
        given.append(("workflow=?", wanted.workflow))
    if wanted.since is not None:
        given.append(("started_at>=?", wanted.since.astimezone(UTC).isoformat()))
    conditions, values = [text for text, _ in given], [value for _, value in given]
    if wanted.states:
        stored = [*wanted.states, *(ALIVE if "lost" in wanted.states else ())]
        conditions.append(f"state IN ({', '.join('?' * len(stored))})")
        values += stored
    return conditions, values


def _missing(reference: str, newest: list[RunRow], *, project_key: str) -> UsageError:
    start = "start one with `treadle deliver`"
    if reference == "last" and project_key:
        return UsageError(
            "there are no runs of this project yet",
            hint=f"{start}, or name one of `treadle ls --all`",
        )
    if reference == "last":
        return UsageError("there are no runs yet", hint=start)
    known = ", ".join(short_id(row.id) for row in newest)
    hint = f"the newest runs are {known}" if known else start
    return UsageError(f"there is no run {reference!r}", hint=hint)


def is_lock_held(lock: Path) -> bool:
    """Whether a living process holds the lock; looking takes it for an instant, shared."""
    try:
        with lock.open("r") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
