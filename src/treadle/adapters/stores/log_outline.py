"""Selects the events that outline a long log, without reading all of it."""

import orjson

from treadle.adapters.stores.database import Database, Row
from treadle.adapters.stores.schema import LANDMARKS_OF_A_RUN
from treadle.domain.ids import RunId

# The last events are all included: they show what happens now.
TAIL = 200
# A denial follows its call closely; other calls of the same response may come between.
NEAR = 20

_EVENTS = "SELECT seq, at, body FROM events WHERE run=?"


def outline_rows(database: Database, run: RunId, last: int) -> list[Row]:
    """Number, time and body of each event in the outline, in order."""
    tail = max(0, last - TAIL)
    landmarks = f"{_EVENTS} AND seq IN ({LANDMARKS_OF_A_RUN} AND seq<=?)"
    rows = [
        *database.query(landmarks, (run, run, tail)),
        *_denied_calls(database, run, tail),
        *_unsettled_usage(database, run, tail, last),
        *database.query(f"{_EVENTS} AND seq>? AND seq<=?", (run, tail, last)),
    ]
    return sorted({row[0]: row for row in rows}.values(), key=_number)


def _denied_calls(database: Database, run: RunId, tail: int) -> list[Row]:
    """Denied tool calls with their denials."""
    decisions = database.query(f"{_EVENTS} AND seq<=? AND type='tool.decided'", (run, tail))
    denials = [row for row in decisions if b'"deny"' in row[2]]
    calls = [call for row in denials for call in _call_before(database, run, row)]
    return [*denials, *calls]


def _call_before(database: Database, run: RunId, denial: Row) -> list[Row]:
    nearby = database.query(
        f"{_EVENTS} AND seq<? AND type='tool.called' ORDER BY seq DESC LIMIT ?",
        (run, denial[0], NEAR),
    )
    call_id = orjson.loads(denial[2])["id"]
    return [row for row in nearby if orjson.loads(row[2])["id"] == call_id][:1]


def _unsettled_usage(database: Database, run: RunId, tail: int, last: int) -> list[Row]:
    """The usage events of the last session, whose end, with the sum, may be missing."""
    sessions = f"{LANDMARKS_OF_A_RUN} AND type='session.started' AND seq<=?"
    started = database.query(f"SELECT max(seq) FROM ({sessions}) AS begun", (run, last))[0][0]  # noqa: S608
    return database.query(
        f"{_EVENTS} AND seq>? AND seq<=? AND type='usage.reported'", (run, started or 0, tail)
    )


def _number(row: Row) -> int:
    return int(row[0])
