"""Questions to people and their answers in the database: one row each, settled once."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import assert_never

import orjson

from treadle.adapters.stores.database import Cursor, Database, Row, Value
from treadle.domain.approval import (
    Answer,
    Approval,
    ApprovalId,
    ApprovalRecord,
    LapsedQuestion,
    Settlement,
    VoidedQuestion,
)
from treadle.domain.approval_rules import AcceptedAnswer, AnswerResult, as_of, validate_answer
from treadle.domain.errors import StoreError
from treadle.domain.ids import RunId

APPROVALS_TABLES = """
    CREATE TABLE approvals (
      id           TEXT PRIMARY KEY,
      run          TEXT NOT NULL,
      step         TEXT NOT NULL,
      kind         TEXT NOT NULL,
      question     TEXT NOT NULL,
      subject      TEXT NOT NULL,
      subject_hash TEXT NOT NULL,
      asked_at     TEXT NOT NULL,
      deadline     TEXT NOT NULL DEFAULT '',
      at_deadline  TEXT NOT NULL,
      answerers    TEXT NOT NULL,
      state        TEXT NOT NULL DEFAULT 'open',
      verdict      TEXT NOT NULL DEFAULT '',
      answered_by  TEXT NOT NULL DEFAULT '',
      settled_at   TEXT NOT NULL DEFAULT '',
      words        TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX approvals_of_a_run ON approvals (run, asked_at);
    CREATE INDEX approvals_by_state ON approvals (state, asked_at)
"""

_QUESTION_COLUMNS = (
    "id, run, step, kind, question, subject, subject_hash, asked_at, deadline, at_deadline, "
    "answerers"
)
_SELECT = (
    f"SELECT {_QUESTION_COLUMNS}, state, verdict, answered_by, settled_at, words FROM approvals"  # noqa: S608
)
_OLDEST_FIRST = "ORDER BY asked_at, id"
SUBJECT_CHANGED = "its subject changed"
# Questions are few: whoever writes one has the table alone.
LOCK = "approvals"


class DatabaseApprovals:
    """The `ApprovalDesk` port, and what those who answer need of it."""

    def __init__(
        self,
        database: Database,
        *,
        clean: Callable[[Approval], Approval] = lambda approval: approval,
    ) -> None:
        self._database = database
        self._clean = clean

    def ask(self, approval: Approval) -> Approval:
        approval = self._clean(approval)
        with self._database.transaction(LOCK) as cursor:
            cursor.execute(
                f"INSERT INTO approvals ({_QUESTION_COLUMNS}) "  # noqa: S608
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (id) DO NOTHING",
                _values(approval),
            )
            kept = _find(cursor, approval.id)
            if kept is None or kept.approval.run != approval.run:
                raise StoreError(
                    f"the question {approval.id} belongs to another run",
                    hint="start a new run with `treadle deliver`",
                )
            for (other,) in cursor.execute(
                "SELECT id FROM approvals WHERE run=? AND step=? AND id<>? AND state='open'",
                (approval.run, _text(approval.step), approval.id),
            ):
                _settle(cursor, other, VoidedQuestion(SUBJECT_CHANGED, approval.asked_at))
        return kept.approval

    def find(self, approval: ApprovalId) -> ApprovalRecord | None:
        rows = self._database.query(f"{_SELECT} WHERE id=?", (approval,))
        return _record_of(rows[0]) if rows else None

    def list_for_run(self, run: RunId) -> Sequence[ApprovalRecord]:
        rows = self._database.query(f"{_SELECT} WHERE run=? {_OLDEST_FIRST}", (run,))
        return [_record_of(row) for row in rows]

    def lapse(self, approval: ApprovalId, now: datetime) -> ApprovalRecord | None:
        seen = self.find(approval)
        if seen is None or as_of(seen, now) == seen:
            # Those who wait look often, so a mere look takes no lock.
            return seen
        with self._database.transaction(LOCK) as cursor:
            standing = as_of(_find(cursor, approval) or seen, now)
            if standing.settled is not None:
                _settle(cursor, approval, standing.settled)
        return standing

    def void_open(self, run: RunId, *, reason: str, now: datetime) -> Sequence[ApprovalRecord]:
        with self._database.transaction(LOCK) as cursor:
            for (approval,) in cursor.execute(
                "SELECT id FROM approvals WHERE run=? AND state='open'", (run,)
            ):
                _settle(cursor, approval, VoidedQuestion(reason, now))
        return [each for each in self.list_for_run(run) if isinstance(each.settled, VoidedQuestion)]

    def answer(
        self, approval: ApprovalId, answer: Answer, *, subject_hash: str
    ) -> AnswerResult | None:
        """Settle the question with this answer, or say why it does not count; None: no such
        question. Of many answers at once exactly one is accepted."""
        with self._database.transaction(LOCK) as cursor:
            standing = _find(cursor, approval)
            if standing is None:
                return None
            judgement = validate_answer(standing, answer, subject_hash=subject_hash)
            if isinstance(judgement, AcceptedAnswer):
                _settle(cursor, approval, judgement.answer)
        return judgement

    def list_open(self, now: datetime) -> Sequence[ApprovalRecord]:
        """What can be answered now, oldest first."""
        rows = self._database.query(f"{_SELECT} WHERE state='open' {_OLDEST_FIRST}")
        standings = [as_of(_record_of(row), now) for row in rows]
        return [each for each in standings if each.settled is None]

    def list_newest(self, limit: int) -> Sequence[ApprovalRecord]:
        """Open and settled ones, newest first."""
        rows = self._database.query(f"{_SELECT} ORDER BY asked_at DESC, id LIMIT ?", (limit,))
        return [_record_of(row) for row in rows]

    def find_by_suffix(self, digits: str) -> Sequence[ApprovalRecord]:
        """Every question whose id ends so; `digits` holds letters and digits alone."""
        rows = self._database.query(f"{_SELECT} WHERE id LIKE ? {_OLDEST_FIRST}", (f"%{digits}",))
        return [_record_of(row) for row in rows]


def _find(cursor: Cursor, approval: ApprovalId) -> ApprovalRecord | None:
    rows = cursor.execute(f"{_SELECT} WHERE id=?", (approval,))
    return _record_of(rows[0]) if rows else None


def _settle(cursor: Cursor, approval: ApprovalId, settled: Settlement) -> None:
    """Nobody else can have settled it since it was read, but a second try must change nothing."""
    cursor.execute(
        "UPDATE approvals SET state=?, verdict=?, answered_by=?, settled_at=?, words=? "
        "WHERE id=? AND state='open'",
        (*_settlement_values(settled), approval),
    )


def _settlement_values(settled: Settlement) -> tuple[Value, ...]:
    at = _moment(settled.at)
    match settled:
        case Answer(verdict=verdict, by=by, text=text):
            return "answered", verdict, _text(by), at, _text(text)
        case LapsedQuestion(verdict=verdict):
            return "lapsed", verdict, "", at, ""
        case VoidedQuestion(reason=reason):
            return "voided", "", "", at, _text(reason)
        case _:
            assert_never(settled)


def _values(approval: Approval) -> tuple[Value, ...]:
    return (
        approval.id,
        approval.run,
        _text(approval.step),
        approval.kind,
        _text(approval.question),
        _text(approval.subject),
        _text(approval.subject_hash),
        _moment(approval.asked_at),
        _moment(approval.deadline) if approval.deadline else "",
        approval.at_deadline,
        orjson.dumps([_text(name) for name in approval.answerers]).decode(),
    )


def _record_of(row: Row) -> ApprovalRecord:
    approval = Approval(
        id=ApprovalId(row[0]),
        run=RunId(row[1]),
        step=row[2],
        kind=row[3],
        question=row[4],
        subject=row[5],
        subject_hash=row[6],
        asked_at=datetime.fromisoformat(row[7]),
        deadline=datetime.fromisoformat(row[8]) if row[8] else None,
        at_deadline=row[9],
        answerers=tuple(orjson.loads(row[10])),
    )
    return ApprovalRecord(approval, _settlement_of(*row[11:]))


def _settlement_of(state: str, verdict: str, by: str, at: str, words: str) -> Settlement | None:
    match state:
        case "open":
            return None
        case "answered":
            return Answer(verdict, by, datetime.fromisoformat(at), words)  # type: ignore[arg-type]
        case "lapsed":
            return LapsedQuestion(verdict, datetime.fromisoformat(at))  # type: ignore[arg-type]
        case _:
            return VoidedQuestion(words, datetime.fromisoformat(at))


def _moment(at: datetime) -> str:
    """In UTC and always as long, so that texts sort as moments do."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _text(text: str) -> str:
    """Without half characters and NUL, which an agent may write and no database takes."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")
