"""Questions that runs ask, found and answered from any terminal. Thin: loads no events."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime

from treadle.adapters.stores.approvals import Approvals
from treadle.adapters.stores.database import open_database, open_to_read
from treadle.domain.approval import Answer, ApprovalId, Standing, Verdict
from treadle.domain.approval_rules import Judgement, as_of
from treadle.domain.errors import UsageError
from treadle.domain.storage import Storage

HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as a person gives it; without a hash it is for the subject as it is now."""

    to: str
    verdict: Verdict
    text: str = ""
    subject_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of an answer, and how the question stands after it."""

    standing: Standing
    judgement: Judgement


def open_questions(storage: Storage, now: datetime) -> Sequence[Standing]:
    """What people can answer now, oldest first."""
    with _reading(storage) as approvals:
        return approvals.open(now) if approvals else ()


def newest_questions(storage: Storage, now: datetime, *, limit: int) -> Sequence[Standing]:
    """Settled ones, too, newest first."""
    with _reading(storage) as approvals:
        return [as_of(each, now) for each in approvals.newest(limit)] if approvals else ()


def find_question(storage: Storage, reference: str, now: datetime) -> Standing:
    """The question with this id or this unique end of one; open ones go before settled ones."""
    with _reading(storage) as approvals:
        if approvals is None:
            raise _nothing_like(reference, ())
        return _meant(approvals, reference, now)


def answer_question(storage: Storage, reply: Reply, *, by: str, now: datetime) -> Answered:
    """Give the answer; the first valid one settles the question, on whatever machine."""
    find_question(storage, reply.to, now)  # so that a slip does not make a database
    with closing(open_database(storage)) as database:
        approvals = Approvals(database)
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
        return Answered(as_of(after, now), judgement)


@contextmanager
def _reading(storage: Storage) -> Iterator[Approvals | None]:
    database = open_to_read(storage)
    if database is None:
        yield None
        return
    with closing(database):
        yield Approvals(database)


def _meant(approvals: Approvals, reference: str, now: datetime) -> Standing:
    digits = reference.strip().lower()
    found = approvals.ending_with(digits) if digits and set(digits) <= HEX else ()
    standings = [as_of(each, now) for each in found]
    still_open = [each for each in standings if each.settled is None]
    fitting = still_open or standings
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(each.approval.id for each in fitting[:5])
        raise UsageError(f"{reference!r} fits several questions: {names}", hint="give more digits")
    raise _nothing_like(reference, [each.approval.id for each in approvals.open(now)])


def _nothing_like(reference: str, still_open: Sequence[ApprovalId]) -> UsageError:
    known = ", ".join(still_open[:5])
    hint = f"open are {known}" if known else "no run waits for an answer"
    return UsageError(f"there is no question {reference!r}", hint=hint)
