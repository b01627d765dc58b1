"""Deletes the log and the files of a run; `domain.retention` decides whether it may."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from treadle.adapters.stores.database import Database
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.errors import StoreError
from treadle.domain.ids import RunId


def drop_log(database: Database, run: RunId, now: datetime) -> bool:
    """Delete all rows of an ended run except its row in the list and its ledger entries.

    False, and nothing done, if it was reopened meanwhile.
    """
    with database.transaction(f"run {run}") as cursor:
        marked = cursor.execute(
            "UPDATE runs SET cleaned_at=? WHERE id=? AND state IN ('succeeded', 'ended')"
            " RETURNING id",
            (now.isoformat(), run),
        )
        if not marked:
            return False
        for table in ("events", "told_once", "requests", "approvals"):
            cursor.execute(f"DELETE FROM {table} WHERE run=?", (run,))  # noqa: S608
    return True


def drop_files(root: Path, run: RunId, remove: Callable[[Path], None]) -> None:
    """Delete the run's directory: its clone, its agent's home, its lock.

    `remove` must handle anything, because an agent wrote there.
    """
    try:
        remove(run_directory(root, run))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(
            f"cannot remove all of {run_directory(root, run)}: {error.strerror}",
            hint="check its permissions with `ls -ld`, then clean again",
        ) from error
