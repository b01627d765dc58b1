"""One session of a leg, as far as the log has it. Pure."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from treadle.domain.approval import ApprovalId
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
)
from treadle.domain.events.session import SessionStarted
from treadle.domain.ids import SessionId
from treadle.domain.session import SessionResult
from treadle.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One session of a leg, as far as the log has it."""

    number: int
    session: SessionId | None = None
    result: SessionResult | None = None
    # What responses used before the session was interrupted.
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0
    # In the current process; `earlier_s` is what earlier processes took.
    started_at: datetime | None = None
    last_event_at: datetime | None = None
    earlier_s: float = 0.0
    # Questions without an answer, since when, and how long answered ones took.
    open_questions: frozenset[ApprovalId] = frozenset()
    waiting_since: datetime | None = None
    waited_s: float = 0.0
    # What its processes measured in all; None: only the log is known, whose clock may have jumped.
    measured_s: float | None = None

    @property
    def seconds(self) -> float:
        """The time that its processes measured; else that from the start of the session to its last
        event, without the time between two processes and without waiting for a person."""
        if self.measured_s is not None:
            return self.measured_s
        if self.started_at is None or self.last_event_at is None:
            return self.earlier_s
        until = (
            self.last_event_at
            if self.waiting_since is None
            else min(self.last_event_at, self.waiting_since)
        )
        worked_s = (until - self.started_at).total_seconds() - self.waited_s
        return self.earlier_s + max(0.0, worked_s)


def without_process(record: SessionRecord) -> SessionRecord:
    """The session after its process was lost: no time counts since its last event."""
    return replace(
        record,
        earlier_s=record.seconds,
        started_at=None,
        last_event_at=None,
        waiting_since=None,
        waited_s=0.0,
    )


def with_start(record: SessionRecord, event: SessionStarted, at: datetime) -> SessionRecord:
    """The session that a process has started or resumed."""
    # A session that was interrupted while it waited for a person still waits.
    since = at if record.open_questions else None
    started_at = record.started_at or at
    return replace(record, session=event.session, started_at=started_at, waiting_since=since)


def apply_question(record: SessionRecord, recorded: RecordedEvent) -> SessionRecord:
    """The session after a question to a person or its answer."""
    match recorded.event:
        case ApprovalAsked(approval=approval):
            since = record.waiting_since or recorded.at
            questions = record.open_questions | {approval.id}
            return replace(record, open_questions=questions, waiting_since=since)
        case (
            ApprovalAnswered(approval=name)
            | ApprovalLapsed(approval=name)
            | ApprovalVoided(approval=name)
        ):
            still_open = record.open_questions - {name}
            if still_open or record.waiting_since is None:
                return replace(record, open_questions=still_open)
            waited_s = record.waited_s + (recorded.at - record.waiting_since).total_seconds()
            return replace(record, open_questions=still_open, waiting_since=None, waited_s=waited_s)
        case _:
            return record
