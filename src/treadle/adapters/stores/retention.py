"""Deletes the log and the files of a run; `domain.retention` decides whether it may."""

from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path

from treadle.adapters.stores.database import Database
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.errors import StoreError
from treadle.domain.ids import RunId


def drop_log(database: Database, run: RunId, now: datetime, *, keep: Collection[str] = ()) -> bool:
    """Delete all rows of an ended run except its row in the list, its ledger entries, and events of
    the types in `keep`.

    False, and nothing done, if it was reopened meanwhile.
    """
    others = f"type NOT IN ({', '.join('?' for _ in keep)})" if keep else "true"
    with database.transaction(f"run {run}") as cursor:
        marked = cursor.execute(
            "UPDATE runs SET cleaned_at=? WHERE id=? AND state IN ('succeeded', 'ended')"
            " RETURNING id",
            (now.isoformat(), run),
        )
        if not marked:
            return False
        for table in ("told_once", "requests", "approvals"):
            cursor.execute(f"DELETE FROM {table} WHERE run=?", (run,))  # noqa: S608
        cursor.execute(
            f"DELETE FROM events WHERE run=? AND {others}",  # noqa: S608
            (run, *keep),
        )
    return True


def drop_files(
    root: Path, run: RunId, remove: Callable[[Path], None], *, keep: Collection[str] = ()
) -> None:
    """Delete the run's directory: its clone, its agent's home, its lock; or all of it but the
    entries named in `keep`.

    `remove` must handle anything, because an agent wrote there.
    """
    directory = run_directory(root, run)
    try:
        if not keep:
            remove(directory)
            return
        for path in directory.iterdir():
            if path.name not in keep:
                remove(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(
            f"cannot remove all of {directory}: {error.strerror}",
            hint="check its permissions with `ls -ld`, then clean again",
        ) from error
