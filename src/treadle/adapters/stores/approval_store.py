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
# Questions are rare, so writers lock the whole table.
LOCK = "approvals"


class DatabaseApprovals:
    """The `ApprovalStore` port, and the queries of those who answer."""

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
            stored = _find(cursor, approval.id)
            if stored is None or stored.approval.run != approval.run:
                raise StoreError(
                    f"the question {approval.id} belongs to another run",
                    hint="start a new run with `treadle deliver`",
                )
            for (other,) in cursor.execute(
                "SELECT id FROM approvals WHERE run=? AND step=? AND id<>? AND state='open'",
                (approval.run, _text(approval.step), approval.id),
            ):
                _settle(cursor, other, VoidedQuestion(SUBJECT_CHANGED, approval.asked_at))
        return stored.approval

    def find(self, approval: ApprovalId) -> ApprovalRecord | None:
        rows = self._database.query(f"{_SELECT} WHERE id=?", (approval,))
        return _record_of(rows[0]) if rows else None

    def list_for_run(self, run: RunId) -> Sequence[ApprovalRecord]:
        rows = self._database.query(f"{_SELECT} WHERE run=? {_OLDEST_FIRST}", (run,))
        return [_record_of(row) for row in rows]

    def lapse(self, approval: ApprovalId, now: datetime) -> ApprovalRecord | None:
        record = self.find(approval)
        if record is None or as_of(record, now) == record:
            # Runs poll this, so a read takes no lock.
            return record
        with self._database.transaction(LOCK) as cursor:
            record = as_of(_find(cursor, approval) or record, now)
            if record.settled is not None:
                _settle(cursor, approval, record.settled)
        return record

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
        """Settle the question with this answer, or return why it does not count; None if there is
        no such question. Of concurrent answers exactly one is accepted."""
        with self._database.transaction(LOCK) as cursor:
            record = _find(cursor, approval)
            if record is None:
                return None
            result = validate_answer(record, answer, subject_hash=subject_hash)
            if isinstance(result, AcceptedAnswer):
                _settle(cursor, approval, result.answer)
        return result

    def list_open(self, now: datetime) -> Sequence[ApprovalRecord]:
        """The questions that can be answered now, oldest first."""
        rows = self._database.query(f"{_SELECT} WHERE state='open' {_OLDEST_FIRST}")
        records = [as_of(_record_of(row), now) for row in rows]
        return [each for each in records if each.settled is None]

    def list_newest(self, limit: int) -> Sequence[ApprovalRecord]:
        """Open and settled questions, newest first."""
        rows = self._database.query(f"{_SELECT} ORDER BY asked_at DESC, id LIMIT ?", (limit,))
        return [_record_of(row) for row in rows]

    def find_shortened(self, digits: str) -> Sequence[ApprovalRecord]:
        """Every question whose id ends with `digits`, which must be alphanumeric; if there is none,
        every one whose id begins with them."""
        query = f"{_SELECT} WHERE id LIKE ? {_OLDEST_FIRST}"
        rows = self._database.query(query, (f"%{digits}",))
        rows = rows or self._database.query(query, (f"{digits}%",))
        return [_record_of(row) for row in rows]


def _find(cursor: Cursor, approval: ApprovalId) -> ApprovalRecord | None:
    rows = cursor.execute(f"{_SELECT} WHERE id=?", (approval,))
    return _record_of(rows[0]) if rows else None


def _settle(cursor: Cursor, approval: ApprovalId, settled: Settlement) -> None:
    """Settle the question unless it is settled already."""
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
    """In UTC and of fixed length, so that texts sort by time."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _text(text: str) -> str:
    """Replace lone surrogates and NUL, which agents may write and no database accepts."""
    clean_text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return clean_text.replace("\0", "\N{REPLACEMENT CHARACTER}")
