"""The list of runs, read without loading the event types, so that `ls` and `status` are fast."""

import fcntl
import os
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import orjson

from treadle.adapters.stores.database import Database, Row, Value, open_to_read
from treadle.domain.errors import UsageError
from treadle.domain.ids import SHORT_DIGITS, RunId, short_id
from treadle.domain.lifecycle import ALIVE, STATES
from treadle.domain.run_row import RunFilter, RunRow
from treadle.domain.storage import Storage

COLUMNS = ", ".join(RunRow.__slots__)
# What the run was asked for, in its directory.
REQUEST = "request.json"
NO_WORKER = "needs its login"
HEX = frozenset("0123456789abcdef")
NO_FILTER = RunFilter()


def run_directory(root: Path, run: RunId) -> Path:
    """The directory of a run's clone, agent home and lock."""
    return root / "runs" / run


def run_lock(root: Path, run: RunId) -> Path:
    """Held by the process that works on the run."""
    return run_directory(root, run) / "run.lock"


def worker_lock(root: Path, login: str) -> Path:
    """Held by the worker that the detached runs of a login rely on."""
    return root / "workers" / f"login.{login}.lock"


def run_is_served(root: Path, run: RunId) -> bool:
    """Whether a worker with the login of the run is alive; any does for a run of an earlier
    version, which has none."""
    lock = worker_lock(root, _login_of(run_directory(root, run)) or "*")
    return any(is_lock_held(found) for found in lock.parent.glob(lock.name))


def _login_of(directory: Path) -> str:
    try:
        return str(orjson.loads((directory / REQUEST).read_bytes()).get("login", ""))
    except (OSError, ValueError):
        return ""


def host_of(root: Path) -> str:
    """The machine and directory that hold the locks of its runs."""
    return f"{os.uname().nodename}:{root}"


def list_runs(storage: Storage, run_filter: RunFilter = NO_FILTER) -> list[RunRow]:
    """Newest first. A run whose state is alive but whose lock is free is `lost`."""
    database = open_to_read(storage)
    if database is None:
        return []
    with closing(database):
        return RunList(database, storage).select(run_filter)


def find_run(storage: Storage, reference: str, *, project_key: str = "") -> RunRow:
    """The run with this id, or a unique end of an id or beginning of a short one; `last` is the
    newest, of the project if one is given."""
    database = open_to_read(storage)
    if database is None:
        raise _missing(reference, [], project_key=project_key)
    with closing(database):
        return RunList(database, storage).find(reference, project_key=project_key)


class RunList:
    """The runs of an open database, for several queries."""

    def __init__(self, database: Database, storage: Storage) -> None:
        self._database = database
        self._storage = storage

    def select(self, run_filter: RunFilter = NO_FILTER) -> list[RunRow]:
        conditions, values = _conditions(run_filter)
        where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
        if not run_filter.states:
            return self._rows(
                f"{where}ORDER BY started_at DESC LIMIT ?", [*values, run_filter.limit]
            )
        # The locks decide which runs are lost, so SQL cannot apply the limit.
        rows = self._rows(f"{where}ORDER BY started_at DESC", values)
        return [row for row in rows if row.state in run_filter.states][: run_filter.limit]

    def find(self, reference: str, *, project_key: str = "") -> RunRow:
        if reference == "last":
            rows = self.select(RunFilter(project_key=project_key, limit=1))
        else:
            rows = self._find_shortened(reference.replace("-", "").lower())
        if len(rows) == 1:
            return rows[0]
        if rows:
            names = ", ".join(row.id.replace("-", "")[-12:] for row in rows[:5])
            raise UsageError(
                f"{reference!r} matches several runs: {names}", hint="give more characters"
            )
        raise _missing(reference, self.select(RunFilter(limit=5)), project_key=project_key)

    def _find_shortened(self, digits: str) -> list[RunRow]:
        """The runs whose id ends like this; if there are none, whose short id begins like this."""
        if not digits or not set(digits) <= HEX:
            return []
        where = "WHERE replace(id, '-', '') LIKE ? ORDER BY started_at DESC"
        rest = "_" * max(0, SHORT_DIGITS - len(digits))
        return self._rows(where, [f"%{digits}"]) or self._rows(where, [f"%{digits}{rest}"])

    def _rows(self, tail: str, values: list[Value]) -> list[RunRow]:
        # The tail is built from constants only; values are always bound.
        rows = self._database.query(f"SELECT {COLUMNS} FROM runs {tail}", values)  # noqa: S608
        return [self._row(row) for row in rows]

    def _row(self, values: Row) -> RunRow:
        row = RunRow(*values)
        if row.state not in STATES:
            return replace(row, state="ended")  # a state of a newer version
        if row.state in ALIVE and self._is_local(row) and not is_lock_held(self._lock(row)):
            return replace(row, state="lost")
        if row.state == "queued" and self._lacks_worker(row):
            return replace(row, waiting_for=NO_WORKER)
        return row

    def _is_local(self, row: RunRow) -> bool:
        return not self._storage.database_url or row.host == host_of(self._storage.root)

    def _lacks_worker(self, row: RunRow) -> bool:
        root = self._storage.root
        is_of_this_machine = (run_directory(root, row.id) / REQUEST).is_file()
        return is_of_this_machine and not run_is_served(root, row.id)

    def _lock(self, row: RunRow) -> Path:
        return run_lock(self._storage.root, row.id)


def _conditions(run_filter: RunFilter) -> tuple[list[str], list[Value]]:
    filters: list[tuple[str, Value]] = []
    if run_filter.project_key:
        filters.append(("project_key=?", run_filter.project_key))
    if run_filter.workflow:
        filters.append(("workflow=?", run_filter.workflow))
    if run_filter.since is not None:
        filters.append(("started_at>=?", run_filter.since.astimezone(UTC).isoformat()))
    conditions, values = [text for text, _ in filters], [value for _, value in filters]
    if run_filter.states:
        stored = [*run_filter.states, *(ALIVE if "lost" in run_filter.states else ())]
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
    """Whether a process holds the lock; the test takes it shared for an instant."""
    try:
        with lock.open("r") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
