"""The state of a run from its own log: all that a process needs to continue it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, assert_never

from treadle.domain.approval import ApprovalId
from treadle.domain.events.agent import ToolDecided, UsageReported
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
)
from treadle.domain.events.run import RoundStarted, RunEnded, RunRecovered, RunReopened
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    DeliverableClaimed,
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
from treadle.domain.ids import SessionId
from treadle.domain.run import RunResult
from treadle.domain.session import QuotaExceeded, SessionResult
from treadle.domain.usage import Usage
from treadle.workflows.loop.deliverable_history import DeliverableHistory, apply_deliverable


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One session's place in a leg of the run, and how far it came."""

    number: int
    session: SessionId | None = None
    result: SessionResult | None = None
    # What responses used before the session was cut off.
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0
    # In this process, and what it took in those before it.
    began: datetime | None = None
    last: datetime | None = None
    earlier_s: float = 0.0
    # Questions that a person has not answered yet, since when, and how long others took.
    open_questions: frozenset[ApprovalId] = frozenset()
    asking_since: datetime | None = None
    asked_s: float = 0.0

    @property
    def seconds(self) -> float:
        """From the start of the session to the last that was heard of it, without the time in
        which nobody worked on it, or a person was waited for."""
        if self.began is None or self.last is None:
            return self.earlier_s
        until = self.last if self.asking_since is None else min(self.last, self.asking_since)
        return self.earlier_s + (until - self.began).total_seconds() - self.asked_s


@dataclass(frozen=True, slots=True)
class RunHistory(DeliverableHistory):
    """A run as its log tells it. A leg is what lies between two ends of the run."""

    leg: int = 1
    ended: RunResult | None = None
    before: RunResult | None = None  # how the leg before ended
    continued: WorkContinued | None = None
    planned: bool = False
    prepared: WorkspacePrepared | None = None
    imported: WorkImported | None = None
    session_records: tuple[SessionRecord, ...] = ()  # of the leg that runs
    sessions: tuple[SessionStarted, ...] = ()  # of all legs
    # Answers of a person that a tool use was allowed by: none of them allows another.
    used_approvals: frozenset[ApprovalId] = frozenset()
    # What checks and tests have taken in the leg that runs.
    verified_s: float = 0.0
    # How the leg that runs came about, if the run had ended before.
    reopened: Literal["", "resume", "retry"] = ""
    # What the log ends with.
    events: int = 0
    last: str = ""

    @property
    def has_worked(self) -> bool:
        """Whether a session of the run was ever begun."""
        return bool(self.session_records or self.sessions)

    @property
    def is_fresh_leg(self) -> bool:
        """Whether the run had ended and nothing was begun since it was reopened."""
        return bool(self.reopened) and not self.session_records

    @property
    def rounds(self) -> int:
        """The last round that was begun; a session that met the quota was none."""
        numbers = [
            turn.number
            for turn in self.session_records
            if turn.result is None or not isinstance(turn.result.outcome, QuotaExceeded)
        ]
        earlier = 0 if self.before is None else self.before.rounds
        return max([earlier, *numbers])

    @property
    def cost_usd(self) -> float:
        """All that the run has cost, the session that was cut off included."""
        earlier = 0.0 if self.before is None else self.before.cost_usd
        cost = (t.cost_usd if t.result is None else t.result.cost_usd for t in self.session_records)
        return round(earlier + sum(cost), 6)

    @property
    def usage(self) -> Usage:
        """All that the run has used, the session that was cut off included."""
        used = Usage() if self.before is None else self.before.usage
        for turn in self.session_records:
            used += turn.usage if turn.result is None else turn.result.usage
        return used

    @property
    def running_s(self) -> float:
        """How long its sessions have worked, and what was run to show their work."""
        earlier = 0.0 if self.before is None else self.before.duration_s
        took = (
            t.seconds if t.result is None else t.result.duration_s for t in self.session_records
        )
        return round(earlier + sum(took) + self.verified_s, 3)

    def extended_to(self, at: datetime | None) -> "RunHistory":
        """The same with a later sign of life: a session cut in silence worked until then."""
        cut = self.session_records[-1] if self.session_records else None
        if at is None or cut is None or cut.last is None or cut.result is not None:
            return self
        cut = replace(cut, last=max(cut.last, at))
        return replace(self, session_records=(*self.session_records[:-1], cut))

    def session_record(self, index: int) -> SessionRecord | None:
        """The turn with this index in the leg, if it had begun."""
        return self.session_records[index] if index < len(self.session_records) else None


def read_history(log: Iterable[RecordedEvent]) -> RunHistory:
    """The fold of a whole log; display events change nothing."""
    known = RunHistory()
    for recorded in log:
        if isinstance(recorded.event, CheckFinished | SuiteFinished):
            took_s = recorded.event.evidence.duration_s
            known = replace(known, verified_s=known.verified_s + took_s)
        known = replace(_apply(known, recorded), events=recorded.seq, last=recorded.event.type)
    return known


def _apply(known: RunHistory, recorded: RecordedEvent) -> RunHistory:
    event = recorded.event
    match event:
        case RunEnded():
            return replace(known, ended=event.result)
        case RunReopened():
            return replace(
                known,
                ended=None,
                before=known.ended,
                leg=known.leg + 1,
                session_records=(),
                changes=(),
                added_checks=(),
                verified_s=0.0,
                reopened=event.by,
            )
        case RoundStarted():
            begun = SessionRecord(event.number)
            return replace(
                known,
                session_records=(*known.session_records, begun),
                passed_this_round=(),
                claimed_this_round=(),
            )
        case WorkContinued() | WorkspacePrepared() | PlanMade():
            return _apply_workspace(known, event)
        case WorkImported():
            return replace(known, imported=event)
        case (
            DeliverableCreated()
            | DeliverableChanged()
            | DeliverableClaimed()
            | StatusAdopted()
            | CheckAdded()
            | CheckFinished()
        ):
            return apply_deliverable(known, event)
        case _:
            return _apply_session(known, recorded)


def _apply_workspace(
    known: RunHistory, event: WorkContinued | WorkspacePrepared | PlanMade
) -> RunHistory:
    match event:
        case WorkContinued():
            return replace(known, continued=event)
        case WorkspacePrepared():
            return replace(known, prepared=event)
        case PlanMade():
            return replace(known, planned=True)
        case unreachable:
            assert_never(unreachable)


def _apply_session(known: RunHistory, recorded: RecordedEvent) -> RunHistory:
    if not known.session_records:
        return known
    event, turn = recorded.event, known.session_records[-1]
    match event:
        case RunRecovered():
            turn = _without_owner(turn)
        case SessionStarted():
            known = replace(known, sessions=(*known.sessions, event))
            turn = _with_start(turn, event, recorded.at)
        case ToolDecided():
            known = replace(known, used_approvals=known.used_approvals | _used_approvals(event))
        case UsageReported():
            turn = replace(
                turn, usage=turn.usage + event.usage, cost_usd=turn.cost_usd + event.cost_usd
            )
        case SessionEnded():
            turn = replace(turn, result=event.result)
        case _:
            pass
    if turn.began is not None and turn.result is None:
        turn = replace(_apply_question(turn, recorded), last=recorded.at)
    return replace(known, session_records=(*known.session_records[:-1], turn))


def _without_owner(turn: SessionRecord) -> SessionRecord:
    """Nobody has worked on it since the last that was heard."""
    took = turn.seconds
    return replace(turn, earlier_s=took, began=None, last=None, asking_since=None, asked_s=0.0)


def _with_start(turn: SessionRecord, event: SessionStarted, at: datetime) -> SessionRecord:
    # One that was cut while it waited for a person goes on waiting.
    since = at if turn.open_questions else None
    return replace(turn, session=event.session, began=turn.began or at, asking_since=since)


def _used_approvals(event: ToolDecided) -> frozenset[ApprovalId]:
    allowed = event.decision == "allow" and event.approval
    return frozenset({ApprovalId(event.approval)}) if allowed else frozenset()


def _apply_question(turn: SessionRecord, recorded: RecordedEvent) -> SessionRecord:
    match recorded.event:
        case ApprovalAsked(approval=approval):
            since = turn.asking_since or recorded.at
            return replace(
                turn, open_questions=turn.open_questions | {approval.id}, asking_since=since
            )
        case (
            ApprovalAnswered(approval=name)
            | ApprovalLapsed(approval=name)
            | ApprovalVoided(approval=name)
        ):
            left = turn.open_questions - {name}
            if left or turn.asking_since is None:
                return replace(turn, open_questions=left)
            took = (recorded.at - turn.asking_since).total_seconds()
            return replace(
                turn, open_questions=left, asking_since=None, asked_s=turn.asked_s + took
            )
        case _:
            return turn
