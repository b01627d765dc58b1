"""The ledger in the database, and in memory: one row per model request."""

from collections.abc import Iterable
from datetime import UTC, datetime
from threading import Lock

import orjson

from treadle.adapters.stores.database import Database, Row, Value
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, CostSoFar, LedgerEntry
from treadle.domain.usage import Usage

LEDGER_TABLES = """
    CREATE TABLE ledger (
      id                    TEXT PRIMARY KEY,
      run                   TEXT NOT NULL,
      session               TEXT NOT NULL,
      at                    TEXT NOT NULL,
      model                 TEXT NOT NULL,
      input_tokens          INTEGER NOT NULL,
      output_tokens         INTEGER NOT NULL,
      cache_write_tokens    INTEGER NOT NULL,
      cache_read_tokens     INTEGER NOT NULL,
      cache_write_1h_tokens INTEGER NOT NULL,
      cost_usd              REAL NOT NULL,
      priced                INTEGER NOT NULL,
      estimated             INTEGER NOT NULL,
      subscription          INTEGER NOT NULL,
      rehearsal             INTEGER NOT NULL,
      agent                 TEXT NOT NULL,
      windows               TEXT NOT NULL
    );
    CREATE INDEX ledger_by_session ON ledger (session);
    CREATE INDEX ledger_by_time ON ledger (at);
    CREATE INDEX ledger_by_run ON ledger (run)
"""

_COLUMNS = (
    "id, run, session, at, model, input_tokens, output_tokens, cache_write_tokens,"
    " cache_read_tokens, cache_write_1h_tokens, cost_usd, priced, estimated, subscription,"
    " rehearsal, agent, windows"
)
_NAMES = _COLUMNS.split(", ")
# Built from constants only; values are always bound.
_PUT = (
    f"INSERT INTO ledger ({_COLUMNS}) VALUES ({', '.join('?' * len(_NAMES))})"  # noqa: S608
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{n}=excluded.{n}' for n in _NAMES[1:])}"
)
_SPENT = (
    "SELECT sum(CASE WHEN run=? THEN cost_usd ELSE 0 END), sum(cost_usd) FROM ledger"
    " WHERE at>=? AND rehearsal=?"
)
_ESTIMATED_OF_OTHERS = (
    "SELECT sum(cost_usd) FROM ledger WHERE run<>? AND at>=? AND rehearsal=? AND estimated=1"
)
_BILL = (
    "SELECT count(*), sum(cost_usd), min(priced), max(estimated), max(subscription),"
    " sum(input_tokens), sum(output_tokens), sum(cache_write_tokens), sum(cache_read_tokens),"
    " sum(cache_write_1h_tokens) FROM ledger WHERE session=?"
)


class DatabaseLedger:
    """The `Ledger` port on a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, entry: LedgerEntry) -> None:
        with self._database.transaction("ledger") as cursor:
            cursor.execute(_PUT, _row(entry))

    def remove(self, entry_id: str) -> None:
        with self._database.transaction("ledger") as cursor:
            cursor.execute("DELETE FROM ledger WHERE id=?", (entry_id,))

    def estimated_of_others(self, run: RunId, *, since: datetime, rehearsal: bool) -> float:
        values = (run, time_text(since), int(rehearsal))
        return self._database.query(_ESTIMATED_OF_OTHERS, values)[0][0] or 0.0

    def spent(self, run: RunId, *, since: datetime, rehearsal: bool) -> CostSoFar:
        rows = self._database.query(_SPENT, (run, time_text(since), int(rehearsal)))
        return CostSoFar(run_usd=rows[0][0] or 0.0, all_usd=rows[0][1] or 0.0)

    def bill(self, session: SessionId) -> Bill:
        return _bill(self._database.query(_BILL, (session,))[0])

    def close(self) -> None:
        """Close the database as well."""
        self._database.close()


class MemoryLedger:
    """The `Ledger` port in memory, for tests and for runs that must leave no trace."""

    def __init__(self) -> None:
        self._entries: dict[str, LedgerEntry] = {}
        self._lock = Lock()

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        with self._lock:
            return tuple(self._entries.values())

    def put(self, entry: LedgerEntry) -> None:
        with self._lock:
            self._entries[entry.id] = entry

    def remove(self, entry_id: str) -> None:
        with self._lock:
            self._entries.pop(entry_id, None)

    def estimated_of_others(self, run: RunId, *, since: datetime, rehearsal: bool) -> float:
        entries = [e for e in self.entries if e.at >= since and e.rehearsal == rehearsal]
        return sum((e.cost_usd for e in entries if e.estimated and e.run != run), 0.0)

    def spent(self, run: RunId, *, since: datetime, rehearsal: bool) -> CostSoFar:
        entries = [e for e in self.entries if e.at >= since and e.rehearsal == rehearsal]
        return CostSoFar(
            run_usd=sum((entry.cost_usd for entry in entries if entry.run == run), 0.0),
            all_usd=sum((entry.cost_usd for entry in entries), 0.0),
        )

    def bill(self, session: SessionId) -> Bill:
        return _sum(entry for entry in self.entries if entry.session == session)


def time_text(at: datetime) -> str:
    """A time as stored: in UTC, so that texts sort by time."""
    return at.astimezone(UTC).isoformat()


def _row(entry: LedgerEntry) -> tuple[Value, ...]:
    usage = entry.usage
    windows = [
        [each.window, each.share, None if each.resets_at is None else each.resets_at.timestamp()]
        for each in entry.windows
    ]
    return (
        entry.id,
        entry.run,
        entry.session,
        time_text(entry.at),
        entry.model,
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_write_tokens,
        usage.cache_read_tokens,
        usage.cache_write_1h_tokens,
        entry.cost_usd,
        int(entry.priced),
        int(entry.estimated),
        int(entry.subscription),
        int(entry.rehearsal),
        entry.agent,
        orjson.dumps(windows).decode(),
    )


def _bill(row: Row) -> Bill:
    if not row[0]:
        return Bill()
    return Bill(
        requests=row[0],
        cost_usd=row[1],
        priced=bool(row[2]),
        estimated=bool(row[3]),
        subscription=bool(row[4]),
        usage=Usage(*row[5:]),
    )


def _sum(entries: Iterable[LedgerEntry]) -> Bill:
    billed = list(entries)
    return Bill(
        requests=len(billed),
        cost_usd=sum((entry.cost_usd for entry in billed), 0.0),
        usage=sum((entry.usage for entry in billed), Usage()),
        priced=all(entry.priced for entry in billed),
        estimated=any(entry.estimated for entry in billed),
        subscription=any(entry.subscription for entry in billed),
    )
