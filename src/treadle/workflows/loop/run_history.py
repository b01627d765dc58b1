"""The state of a run from its own log: all that a process needs to continue it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, assert_never

from treadle.domain.approval import ApprovalId
from treadle.domain.events.agent import ToolDecided, UsageReported
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.run import RoundStarted, RunEnded, RunRecovered, RunReopened
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    DeliverableClaimed,
    DeliverableGraded,
    SuiteFinished,
)
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    PlanMade,
    StatusAdopted,
    WorkContinued,
    WorkImported,
    WorkspacePrepared,
)
from treadle.domain.run import RunResult
from treadle.domain.session import was_kept_from_working
from treadle.domain.usage import Usage
from treadle.session.session_timer import SessionTime
from treadle.workflows.loop.deliverable_history import DeliverableHistory, apply_deliverable
from treadle.workflows.loop.session_record import (
    SessionRecord,
    apply_question,
    with_start,
    without_process,
)


@dataclass(frozen=True, slots=True)
class RunHistory(DeliverableHistory):
    """The state of a run from its log. A leg is the part between two ends of the run."""

    leg: int = 1
    result: RunResult | None = None
    previous_result: RunResult | None = None  # of the leg before
    continued: WorkContinued | None = None
    planned: bool = False
    prepared: WorkspacePrepared | None = None
    imported: WorkImported | None = None
    session_records: tuple[SessionRecord, ...] = ()  # of the current leg
    sessions: tuple[SessionStarted, ...] = ()  # of all legs
    # Approvals that allowed a tool use: none of them allows another one.
    used_approvals: frozenset[ApprovalId] = frozenset()
    # Seconds that checks and tests took in the current leg.
    verified_s: float = 0.0
    # The command that started the current leg, if the run had ended before.
    reopened_by: Literal["", "resume", "retry", "follow"] = ""
    # The length of the log and the type of its last event.
    event_count: int = 0
    last_event: str = ""

    @property
    def has_worked(self) -> bool:
        """Whether a session of the run was ever started."""
        return bool(self.session_records or self.sessions)

    @property
    def is_fresh_leg(self) -> bool:
        """Whether the run was reopened and has started no session since."""
        return bool(self.reopened_by) and not self.session_records

    @property
    def rounds(self) -> int:
        """The last round that was started; a session that was kept from working is none."""
        numbers = [
            record.number
            for record in self.session_records
            if record.result is None or not was_kept_from_working(record.result.outcome)
        ]
        earlier = 0 if self.previous_result is None else self.previous_result.rounds
        return max([earlier, *numbers])

    @property
    def cost_usd(self) -> float:
        """The cost of the run, with the interrupted session."""
        earlier = 0.0 if self.previous_result is None else self.previous_result.cost_usd
        cost = (t.cost_usd if t.result is None else t.result.cost_usd for t in self.session_records)
        return round(earlier + sum(cost), 6)

    @property
    def usage(self) -> Usage:
        """The usage of the run, with the interrupted session."""
        used = Usage() if self.previous_result is None else self.previous_result.usage
        for record in self.session_records:
            used += record.usage if record.result is None else record.result.usage
        return used

    @property
    def running_s(self) -> float:
        """The time of its sessions and of the verification of their work."""
        earlier = 0.0 if self.previous_result is None else self.previous_result.duration_s
        records = self.session_records
        sessions = (r.seconds if r.result is None else r.result.duration_s for r in records)
        return round(earlier + sum(sessions) + self.verified_s, 3)

    def extended_to(self, at: datetime | None) -> "RunHistory":
        """The history with a later sign of life: an interrupted session worked until then."""
        last = self.session_records[-1] if self.session_records else None
        if at is None or last is None or last.last_event_at is None or last.result is not None:
            return self
        last = replace(last, last_event_at=max(last.last_event_at, at))
        return replace(self, session_records=(*self.session_records[:-1], last))

    def with_session_time(self, time: SessionTime) -> "RunHistory":
        """The history with the measured time of the session that was cut off."""
        last = self.session_records[-1] if self.session_records else None
        if last is None or last.result is not None or last.session != time.session:
            return self
        last = replace(last, measured_s=time.seconds)
        return replace(self, session_records=(*self.session_records[:-1], last))

    def session_record(self, index: int) -> SessionRecord | None:
        """The session with this index in the leg, if it was started."""
        return self.session_records[index] if index < len(self.session_records) else None


def read_history(log: Iterable[RecordedEvent]) -> RunHistory:
    """The state after all events of a log; display events change nothing."""
    history = RunHistory()
    for recorded in log:
        if isinstance(recorded.event, CheckFinished | SuiteFinished):
            took_s = recorded.event.evidence.duration_s
            history = replace(history, verified_s=history.verified_s + took_s)
        history = replace(
            _apply(history, recorded), event_count=recorded.seq, last_event=recorded.event.type
        )
    return history


def _apply(history: RunHistory, recorded: RecordedEvent) -> RunHistory:
    event = recorded.event
    match event:
        case RunEnded():
            return replace(history, result=event.result)
        case RunReopened():
            return replace(
                history,
                result=None,
                previous_result=history.result,
                leg=history.leg + 1,
                session_records=(),
                changes=(),
                added_checks=(),
                verified_s=0.0,
                reopened_by=event.by,
            )
        case RoundStarted():
            started = SessionRecord(event.number)
            return replace(
                history,
                session_records=(*history.session_records, started),
                passed_this_round=(),
                claimed_this_round=(),
            )
        case WorkContinued() | WorkspacePrepared() | PlanMade():
            return _apply_workspace(history, event)
        case WorkImported():
            return replace(history, imported=event)
        case (
            DeliverableCreated()
            | DeliverableChanged()
            | DeliverableClaimed()
            | StatusAdopted()
            | CheckAdded()
            | CheckFinished()
            | DeliverableGraded()
        ):
            return apply_deliverable(history, event)
        case _:
            return _apply_session(history, recorded)


def _apply_workspace(
    history: RunHistory, event: WorkContinued | WorkspacePrepared | PlanMade
) -> RunHistory:
    match event:
        case WorkContinued():
            return replace(history, continued=event)
        case WorkspacePrepared():
            return replace(history, prepared=event)
        case PlanMade():
            return replace(history, planned=True)
        case unreachable:
            assert_never(unreachable)


def _apply_session(history: RunHistory, recorded: RecordedEvent) -> RunHistory:
    if not history.session_records:
        return history
    event, record = recorded.event, history.session_records[-1]
    match event:
        case RunRecovered():
            record = without_process(record)
        case SessionStarted():
            history = replace(history, sessions=(*history.sessions, event))
            record = with_start(record, event, recorded.at)
        case ToolDecided():
            approvals = history.used_approvals | _used_approvals(event)
            history = replace(history, used_approvals=approvals)
        case UsageReported():
            record = replace(
                record, usage=record.usage + event.usage, cost_usd=record.cost_usd + event.cost_usd
            )
        case SessionEnded():
            record = replace(record, result=event.result)
        case _:
            pass
    if record.started_at is not None and record.result is None:
        record = replace(apply_question(record, recorded), last_event_at=recorded.at)
    return replace(history, session_records=(*history.session_records[:-1], record))


def _used_approvals(event: ToolDecided) -> frozenset[ApprovalId]:
    allowed = event.decision == "allow" and event.approval
    return frozenset({ApprovalId(event.approval)}) if allowed else frozenset()
