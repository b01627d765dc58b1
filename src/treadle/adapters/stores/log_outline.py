"""Selects the events that outline a long log, without reading all of it."""

import orjson

from treadle.adapters.stores.database import Database, Row
from treadle.adapters.stores.schema import LANDMARKS_OF_A_RUN
from treadle.domain.ids import RunId

# Events at the end that are taken whole: what happens right now is among them.
TAIL = 200
# A denial follows its call closely; other calls of the same answer may stand between.
NEAR = 20

_EVENTS = "SELECT seq, at, body FROM events WHERE run=?"


def outline_rows(database: Database, run: RunId, last: int) -> list[Row]:
    """Number, time and body of each event of the outline, in the order of the log."""
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
    """Tool calls that were denied, each with its denial."""
    decided = database.query(f"{_EVENTS} AND seq<=? AND type='tool.decided'", (run, tail))
    denials = [row for row in decided if b'"deny"' in row[2]]
    calls = [call for row in denials for call in _call_before(database, run, row)]
    return [*denials, *calls]


def _call_before(database: Database, run: RunId, denial: Row) -> list[Row]:
    near = database.query(
        f"{_EVENTS} AND seq<? AND type='tool.called' ORDER BY seq DESC LIMIT ?",
        (run, denial[0], NEAR),
    )
    wanted = orjson.loads(denial[2])["id"]
    return [row for row in near if orjson.loads(row[2])["id"] == wanted][:1]


def _unsettled_usage(database: Database, run: RunId, tail: int, last: int) -> list[Row]:
    """What the last session used: it may not have ended, and only its end has the sum."""
    sessions = f"{LANDMARKS_OF_A_RUN} AND type='session.started' AND seq<=?"
    begun = database.query(f"SELECT max(seq) FROM ({sessions}) AS begun", (run, last))[0][0]  # noqa: S608
    return database.query(
        f"{_EVENTS} AND seq>? AND seq<=? AND type='usage.reported'", (run, begun or 0, tail)
    )


def _number(row: Row) -> int:
    return int(row[0])
