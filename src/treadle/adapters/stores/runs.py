"""The list of runs, read without the event types: `ls` and `status` must answer at once."""

import fcntl
import sqlite3
from pathlib import Path
from typing import get_args

from treadle.adapters.stores.schema import FILE_NAME, connect_to_read, store_error
from treadle.domain.errors import UsageError
from treadle.domain.ids import RunId, short
from treadle.domain.run_row import RunRow, RunState

COLUMNS = ", ".join(RunRow.__slots__)
HEX = frozenset("0123456789abcdef")


def run_directory(root: Path, run: RunId) -> Path:
    """Where a run keeps its clone, its agent's home and its lock."""
    return root / "runs" / run


def run_lock(root: Path, run: RunId) -> Path:
    """Held by the process that works on the run, for as long as it lives."""
    return run_directory(root, run) / "run.lock"


def list_runs(root: Path, *, project_key: str | None = None, limit: int = 50) -> list[RunRow]:
    """Newest first. A run that says it is running but has no living owner is `lost`."""
    where, values = ("WHERE project_key=? ", [project_key]) if project_key else ("", [])
    return _rows(root, f"{where}ORDER BY started_at DESC LIMIT ?", [*values, limit])


def find_run(root: Path, reference: str, *, project_key: str | None = None) -> RunRow:
    """The run with this id or this unique end of one; for `last` the newest, of the project if
    one is named."""
    if reference == "last":
        return _last(root, project_key)
    found = _ending_with(root, reference.replace("-", "").lower())
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(row.id.replace("-", "")[-12:] for row in found[:5])
        raise UsageError(f"{reference!r} fits several runs: {names}", hint="give more digits")
    known = ", ".join(short(row.id) for row in list_runs(root, limit=5))
    hint = f"the newest runs are {known}" if known else "start one with `treadle deliver`"
    raise UsageError(f"there is no run {reference!r}", hint=hint)


def _last(root: Path, project_key: str | None) -> RunRow:
    rows = list_runs(root, project_key=project_key, limit=1)
    if rows:
        return rows[0]
    if project_key is None:
        raise UsageError("there are no runs yet", hint="start one with `treadle deliver`")
    raise UsageError(
        "there are no runs of this project yet",
        hint="start one with `treadle deliver`, or name one of `treadle ls --all`",
    )


def _ending_with(root: Path, digits: str) -> list[RunRow]:
    if not digits or not set(digits) <= HEX:
        return []
    where = "WHERE replace(id, '-', '') LIKE ? ORDER BY started_at DESC"
    return _rows(root, where, [f"%{digits}"])


def _rows(root: Path, tail: str, values: list[object]) -> list[RunRow]:
    path = root / FILE_NAME
    try:
        connection = connect_to_read(path)
        if connection is None:
            return []
        try:
            # The tail is one of the constants above; values are always bound.
            rows = connection.execute(f"SELECT {COLUMNS} FROM runs {tail}", values)  # noqa: S608
            return [_row(root, row) for row in rows.fetchall()]
        finally:
            connection.close()
    except (sqlite3.Error, OSError) as error:
        raise store_error(path, error) from error


def _row(root: Path, row: tuple[object, ...]) -> RunRow:
    values = list(row)
    if values[4] == "running" and not _held(run_lock(root, RunId(str(values[0])))):
        values[4] = "lost"
    if values[4] not in get_args(RunState):
        values[4] = "ended"
    return RunRow(*values)  # type: ignore[arg-type]  # the columns above, in their order


def _held(lock: Path) -> bool:
    try:
        with lock.open("r") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
