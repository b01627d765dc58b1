"""Lists the questions of runs, and answers them."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime

from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database, open_to_read
from treadle.domain.approval import Answer, AnswerVerdict, ApprovalId, ApprovalRecord
from treadle.domain.approval_rules import AnswerResult, as_of
from treadle.domain.errors import UsageError
from treadle.domain.ids import RunId
from treadle.domain.storage import Storage

HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class ApprovalReply:
    """A person's answer; without a hash it is for the current subject."""

    to: str
    verdict: AnswerVerdict
    text: str = ""
    subject_hash: str | None = None


@dataclass(frozen=True, slots=True)
class AnsweredApproval:
    """The question after an answer, and whether the answer counted."""

    record: ApprovalRecord
    result: AnswerResult


def open_questions(storage: Storage, now: datetime) -> Sequence[ApprovalRecord]:
    """The questions that people can answer now, oldest first."""
    with _open_to_read(storage) as approvals:
        return approvals.list_open(now) if approvals else ()


def newest_questions(storage: Storage, now: datetime, *, limit: int) -> Sequence[ApprovalRecord]:
    """Open and settled questions, newest first."""
    with _open_to_read(storage) as approvals:
        return [as_of(each, now) for each in approvals.list_newest(limit)] if approvals else ()


def questions_of(storage: Storage, run: RunId, now: datetime) -> Sequence[ApprovalRecord]:
    """All questions of a run, oldest first."""
    with _open_to_read(storage) as approvals:
        return [as_of(each, now) for each in approvals.list_for_run(run)] if approvals else ()


def find_question(storage: Storage, reference: str, now: datetime) -> ApprovalRecord:
    """The question with this id or a unique end or beginning of one; open ones come first."""
    with _open_to_read(storage) as approvals:
        if approvals is None:
            raise _not_found(reference, ())
        return _resolve(approvals, reference, now)


def answer_question(
    storage: Storage, reply: ApprovalReply, *, by: str, now: datetime
) -> AnsweredApproval:
    """Answer a question; the first valid answer from any machine settles it."""
    find_question(storage, reply.to, now)  # a wrong reference must not create a database
    with closing(open_database(storage)) as database:
        approvals = DatabaseApprovals(database)
        record = _resolve(approvals, reply.to, now)
        subject_hash = reply.subject_hash
        result = approvals.answer(
            record.approval.id,
            Answer(reply.verdict, by, now, reply.text),
            subject_hash=record.approval.subject_hash if subject_hash is None else subject_hash,
        )
        updated = approvals.find(record.approval.id)
        if result is None or updated is None:
            raise _not_found(reply.to, ())
        return AnsweredApproval(as_of(updated, now), result)


@contextmanager
def _open_to_read(storage: Storage) -> Iterator[DatabaseApprovals | None]:
    database = open_to_read(storage)
    if database is None:
        yield None
        return
    with closing(database):
        yield DatabaseApprovals(database)


def _resolve(approvals: DatabaseApprovals, reference: str, now: datetime) -> ApprovalRecord:
    digits = reference.strip().lower()
    candidates = approvals.find_shortened(digits) if digits and set(digits) <= HEX else ()
    records = [as_of(each, now) for each in candidates]
    open_records = [each for each in records if each.settled is None]
    matches = open_records or records
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(each.approval.id for each in matches[:5])
        raise UsageError(
            f"{reference!r} matches several questions: {names}", hint="give more characters"
        )
    raise _not_found(reference, [each.approval.id for each in approvals.list_open(now)])


def _not_found(reference: str, open_ids: Sequence[ApprovalId]) -> UsageError:
    names = ", ".join(open_ids[:5])
    hint = f"open: {names}" if names else "no run waits for an answer"
    return UsageError(f"there is no question {reference!r}", hint=hint)
