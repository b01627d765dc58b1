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
from treadle.domain.storage import Storage

HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class ApprovalReply:
    """An answer as a person gives it; without a hash it is for the subject as it is now."""

    to: str
    verdict: AnswerVerdict
    text: str = ""
    subject_hash: str | None = None


@dataclass(frozen=True, slots=True)
class AnsweredApproval:
    """What became of an answer, and how the question stands after it."""

    record: ApprovalRecord
    result: AnswerResult


def open_questions(storage: Storage, now: datetime) -> Sequence[ApprovalRecord]:
    """What people can answer now, oldest first."""
    with _reading(storage) as approvals:
        return approvals.list_open(now) if approvals else ()


def newest_questions(storage: Storage, now: datetime, *, limit: int) -> Sequence[ApprovalRecord]:
    """Settled ones, too, newest first."""
    with _reading(storage) as approvals:
        return [as_of(each, now) for each in approvals.list_newest(limit)] if approvals else ()


def find_question(storage: Storage, reference: str, now: datetime) -> ApprovalRecord:
    """The question with this id or this unique end of one; open ones go before settled ones."""
    with _reading(storage) as approvals:
        if approvals is None:
            raise _nothing_like(reference, ())
        return _meant(approvals, reference, now)


def answer_question(
    storage: Storage, reply: ApprovalReply, *, by: str, now: datetime
) -> AnsweredApproval:
    """Give the answer; the first valid one settles the question, on whatever machine."""
    find_question(storage, reply.to, now)  # so that a slip does not make a database
    with closing(open_database(storage)) as database:
        approvals = DatabaseApprovals(database)
        found = _meant(approvals, reply.to, now)
        subject = reply.subject_hash
        judgement = approvals.answer(
            found.approval.id,
            Answer(reply.verdict, by, now, reply.text),
            subject_hash=found.approval.subject_hash if subject is None else subject,
        )
        after = approvals.find(found.approval.id)
        if judgement is None or after is None:
            raise _nothing_like(reply.to, ())
        return AnsweredApproval(as_of(after, now), judgement)


@contextmanager
def _reading(storage: Storage) -> Iterator[DatabaseApprovals | None]:
    database = open_to_read(storage)
    if database is None:
        yield None
        return
    with closing(database):
        yield DatabaseApprovals(database)


def _meant(approvals: DatabaseApprovals, reference: str, now: datetime) -> ApprovalRecord:
    digits = reference.strip().lower()
    found = approvals.find_by_suffix(digits) if digits and set(digits) <= HEX else ()
    standings = [as_of(each, now) for each in found]
    still_open = [each for each in standings if each.settled is None]
    fitting = still_open or standings
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(each.approval.id for each in fitting[:5])
        raise UsageError(f"{reference!r} fits several questions: {names}", hint="give more digits")
    raise _nothing_like(reference, [each.approval.id for each in approvals.list_open(now)])


def _nothing_like(reference: str, still_open: Sequence[ApprovalId]) -> UsageError:
    known = ", ".join(still_open[:5])
    hint = f"open are {known}" if known else "no run waits for an answer"
    return UsageError(f"there is no question {reference!r}", hint=hint)
