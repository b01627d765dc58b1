"""The event store on SQLite: one file for all runs, safe to read while a run writes."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from treadle.adapters.stores.projection import change_for
from treadle.adapters.stores.schema import FILE_NAME, connect, roll_back, store_error
from treadle.domain.errors import StoreError
from treadle.domain.events.all_events import Event, Recorded
from treadle.domain.ids import RunId
from treadle.domain.wire import decode, encode

PAGE = 500


class SqliteStore:
    """The `Store` port on `<root>/events.db`."""

    def __init__(self, root: Path) -> None:
        self._path = root / FILE_NAME
        self._connection = connect(self._path)
        self._identity = self._file()

    def append(self, run: RunId, events: Sequence[tuple[datetime, Event]]) -> Sequence[Recorded]:
        if self._file() != self._identity:
            # SQLite would go on writing to a file that no reader can find any more.
            raise StoreError(
                f"{self._path} was removed while a run was using it",
                hint="start again; the work so far is on the run's branch or in its clone",
            )
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                recorded = self._insert(run, events)
                self._connection.execute("COMMIT")
            except BaseException:
                roll_back(self._connection)
                raise
        except sqlite3.Error as error:
            raise store_error(self._path, error) from error
        return recorded

    def _file(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _insert(self, run: RunId, events: Sequence[tuple[datetime, Event]]) -> list[Recorded]:
        row = self._connection.execute("SELECT max(seq) FROM events WHERE run=?", (run,)).fetchone()
        first = (row[0] or 0) + 1
        recorded = [Recorded(run, first + n, at, event) for n, (at, event) in enumerate(events)]
        self._connection.executemany(
            "INSERT INTO events (run, seq, at, type, body) VALUES (?, ?, ?, ?, ?)",
            [(run, r.seq, r.at.isoformat(), r.event.type, encode(r.event)) for r in recorded],
        )
        for each in recorded:
            if change := change_for(run, each.at, each.event):
                self._connection.execute(*change)
        return recorded

    def read(self, run: RunId, *, after: int = 0, limit: int | None = None) -> Iterator[Recorded]:
        left = limit
        while left is None or left > 0:
            rows = self._page(run, after, PAGE if left is None else min(PAGE, left))
            for seq, at, body in rows:
                event = decode(body)
                if event is not None:
                    yield Recorded(run, seq, datetime.fromisoformat(at), event)
            if len(rows) < PAGE:
                return
            after = rows[-1][0]
            left = None if left is None else left - len(rows)

    def _page(self, run: RunId, after: int, size: int) -> list[tuple[int, str, bytes]]:
        try:
            return self._connection.execute(
                "SELECT seq, at, body FROM events WHERE run=? AND seq>? ORDER BY seq LIMIT ?",
                (run, after, size),
            ).fetchall()
        except sqlite3.Error as error:
            raise store_error(self._path, error) from error

    def close(self) -> None:
        self._connection.close()
