"""The log of every run in the database; each event also updates the list of runs."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from treadle.adapters.stores.database import Cursor, Database, Row, open_database
from treadle.adapters.stores.log_outline import outline_rows
from treadle.adapters.stores.run_list import host_of
from treadle.adapters.stores.run_projection import (
    RowChange,
    lifecycle_changes,
    state_after,
    work_changes,
)
from treadle.adapters.stores.schema import BULK, LANDMARKS_OF_A_RUN
from treadle.domain.errors import StoreError
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.ids import RunId, short_id
from treadle.domain.lifecycle import StoredState, changes_state
from treadle.domain.storage import Storage
from treadle.domain.wire import decode, encode

PAGE = 500


class EventStore:
    """The `Store` port on a database; `host` is recorded for runs of this process."""

    def __init__(self, database: Database, host: str) -> None:
        self._database = database
        self._host = host

    def append(
        self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
    ) -> Sequence[RecordedEvent]:
        with self._database.transaction(f"run {run}") as cursor:
            if once and not _claim_key(cursor, run, once):
                return ()
            stored = _insert(cursor, run, events)
            _project(cursor, stored, self._host)
            return stored

    def read(
        self,
        run: RunId,
        *,
        after: int = 0,
        limit: int | None = None,
        types: Collection[str] = (),
    ) -> Iterator[RecordedEvent]:
        where = _type_condition(types)
        remaining = limit
        while remaining is None or remaining > 0:
            size = PAGE if remaining is None else min(PAGE, remaining)
            values = (run, *((run,) if types else ()), *types, after, size)
            # Built from constants only; values are always bound.
            rows = self._database.query(
                f"SELECT seq, at, body FROM events WHERE run=? AND {where} ORDER BY seq LIMIT ?",  # noqa: S608
                values,
            )
            yield from decode_rows(run, rows)
            if len(rows) < PAGE:
                return
            after = rows[-1][0]
            remaining = None if remaining is None else remaining - len(rows)

    def last_number(self, run: RunId) -> int:
        """The number of the last event; 0 for an empty log."""
        rows = self._database.query("SELECT max(seq) FROM events WHERE run=?", (run,))
        return rows[0][0] or 0

    def outline(self, run: RunId, *, upto: int | None = None) -> Iterator[RecordedEvent]:
        """The log up to an event without its bulk, which is enough to describe the run. It keeps
        denied tool calls, the usage of the last session, and the last events."""
        last = self.last_number(run) if upto is None else upto
        return decode_rows(run, outline_rows(self._database, run, last))

    def close(self) -> None:
        """Close the database as well."""
        self._database.close()


def open_store(storage: Storage) -> EventStore:
    """Open a store with a database connection of its own."""
    return EventStore(open_database(storage), host_of(storage.root))


def decode_rows(run: RunId, rows: Iterable[Row]) -> Iterator[RecordedEvent]:
    """The events of rows with number, time and body."""
    for seq, at, body in rows:
        event = decode(body)
        if event is not None:
            yield RecordedEvent(run, seq, datetime.fromisoformat(at), event)


def _type_condition(types: Collection[str]) -> str:
    if not types:
        return "seq>?"
    type_list = f"type IN ({', '.join('?' * len(types))})"
    includes_bulk = any(each in BULK for each in types)
    source = "SELECT seq FROM events WHERE run=?" if includes_bulk else LANDMARKS_OF_A_RUN
    return f"seq IN ({source} AND {type_list} AND seq>?)"


def _claim_key(cursor: Cursor, run: RunId, key: str) -> bool:
    sql = "INSERT INTO told_once (run, key) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING key"
    return bool(cursor.execute(sql, (run, key)))


def _insert(
    cursor: Cursor, run: RunId, events: Sequence[tuple[datetime, Event]]
) -> list[RecordedEvent]:
    last = cursor.execute("SELECT max(seq) FROM events WHERE run=?", (run,))[0][0] or 0
    recorded = [RecordedEvent(run, last + n, at, event) for n, (at, event) in enumerate(events, 1)]
    cursor.executemany(
        "INSERT INTO events (run, seq, at, type, body) VALUES (?, ?, ?, ?, ?)",
        [(run, r.seq, r.at.isoformat(), r.event.type, encode(r.event)) for r in recorded],
    )
    return recorded


def _project(cursor: Cursor, stored: Sequence[RecordedEvent], host: str) -> None:
    """Update the list of runs in the same transaction; an illegal transition rolls it back."""
    for each in stored:
        for change in _changes(cursor, each, host):
            cursor.execute(*change)


def _changes(cursor: Cursor, stored: RecordedEvent, host: str) -> tuple[RowChange, ...]:
    if not changes_state(stored.event.type):
        return work_changes(stored.run, stored.event)
    state = state_after(stored.run, _state(cursor, stored.run), stored.event)
    return lifecycle_changes(stored, state=state, host=host)


def _state(cursor: Cursor, run: RunId) -> StoredState | None:
    rows = cursor.execute("SELECT state, cleaned_at FROM runs WHERE id=?", (run,))
    if rows and rows[0][1]:
        raise StoreError(
            f"the log of run {short_id(run)} was cleaned away",
            hint="start a new run with `treadle deliver`",
        )
    return rows[0][0] if rows else None
