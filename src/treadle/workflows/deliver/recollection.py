"""What a run's own log says of it: all that a process needs to go on with what another began."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, assert_never

from treadle.domain.approval import ApprovalId
from treadle.domain.events.agent import ToolDecided, UsageReported
from treadle.domain.events.all_events import Recorded
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
from treadle.workflows.deliver.told_deliverables import ToldDeliverables, deliverables_told


@dataclass(frozen=True, slots=True)
class Turn:
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
    asking: frozenset[ApprovalId] = frozenset()
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
class Recollection(ToldDeliverables):
    """A run as its log tells it. A leg is what lies between two ends of the run."""

    leg: int = 1
    ended: RunResult | None = None
    before: RunResult | None = None  # how the leg before ended
    continued: WorkContinued | None = None
    planned: bool = False
    prepared: WorkspacePrepared | None = None
    imported: WorkImported | None = None
    turns: tuple[Turn, ...] = ()  # of the leg that runs
    sessions: tuple[SessionStarted, ...] = ()  # of all legs
    # Answers of a person that a tool use was allowed by: none of them allows another.
    used_approvals: frozenset[ApprovalId] = frozenset()
    # What checks and tests have taken in the leg that runs.
    shown_s: float = 0.0
    # How the leg that runs came about, if the run had ended before.
    reopened: Literal["", "resume", "retry"] = ""
    # What the log ends with.
    events: int = 0
    last: str = ""

    @property
    def has_worked(self) -> bool:
        """Whether a session of the run was ever begun."""
        return bool(self.turns or self.sessions)

    @property
    def is_fresh_leg(self) -> bool:
        """Whether the run had ended and nothing was begun since it was reopened."""
        return bool(self.reopened) and not self.turns

    @property
    def rounds(self) -> int:
        """The last round that was begun; a session that met the quota was none."""
        numbers = [
            turn.number
            for turn in self.turns
            if turn.result is None or not isinstance(turn.result.outcome, QuotaExceeded)
        ]
        earlier = 0 if self.before is None else self.before.rounds
        return max([earlier, *numbers])

    @property
    def cost_usd(self) -> float:
        """All that the run has cost, the session that was cut off included."""
        earlier = 0.0 if self.before is None else self.before.cost_usd
        cost = (t.cost_usd if t.result is None else t.result.cost_usd for t in self.turns)
        return round(earlier + sum(cost), 6)

    @property
    def usage(self) -> Usage:
        """All that the run has used, the session that was cut off included."""
        used = Usage() if self.before is None else self.before.usage
        for turn in self.turns:
            used += turn.usage if turn.result is None else turn.result.usage
        return used

    @property
    def running_s(self) -> float:
        """How long its sessions have worked, and what was run to show their work."""
        earlier = 0.0 if self.before is None else self.before.duration_s
        took = (t.seconds if t.result is None else t.result.duration_s for t in self.turns)
        return round(earlier + sum(took) + self.shown_s, 3)

    def heard_of(self, at: datetime | None) -> "Recollection":
        """The same with a later sign of life: a session cut in silence worked until then."""
        cut = self.turns[-1] if self.turns else None
        if at is None or cut is None or cut.last is None or cut.result is not None:
            return self
        cut = replace(cut, last=max(cut.last, at))
        return replace(self, turns=(*self.turns[:-1], cut))

    def turn(self, index: int) -> Turn | None:
        """The turn with this index in the leg, if it had begun."""
        return self.turns[index] if index < len(self.turns) else None


def recollect(log: Iterable[Recorded]) -> Recollection:
    """The fold of a whole log; display events change nothing."""
    known = Recollection()
    for recorded in log:
        if isinstance(recorded.event, CheckFinished | SuiteFinished):
            took_s = recorded.event.evidence.duration_s
            known = replace(known, shown_s=known.shown_s + took_s)
        known = replace(_told(known, recorded), events=recorded.seq, last=recorded.event.type)
    return known


def _told(known: Recollection, recorded: Recorded) -> Recollection:
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
                turns=(),
                changes=(),
                added_checks=(),
                shown_s=0.0,
                reopened=event.by,
            )
        case RoundStarted():
            begun = Turn(event.number)
            return replace(
                known,
                turns=(*known.turns, begun),
                passed_this_round=(),
                claimed_this_round=(),
            )
        case WorkContinued() | WorkspacePrepared() | PlanMade():
            return _foundations_told(known, event)
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
            return deliverables_told(known, event)
        case _:
            return _session_told(known, recorded)


def _foundations_told(
    known: Recollection, event: WorkContinued | WorkspacePrepared | PlanMade
) -> Recollection:
    match event:
        case WorkContinued():
            return replace(known, continued=event)
        case WorkspacePrepared():
            return replace(known, prepared=event)
        case PlanMade():
            return replace(known, planned=True)
        case unreachable:
            assert_never(unreachable)


def _session_told(known: Recollection, recorded: Recorded) -> Recollection:
    if not known.turns:
        return known
    event, turn = recorded.event, known.turns[-1]
    match event:
        case RunRecovered():
            turn = _left(turn)
        case SessionStarted():
            known = replace(known, sessions=(*known.sessions, event))
            turn = _begun(turn, event, recorded.at)
        case ToolDecided():
            known = replace(known, used_approvals=known.used_approvals | _used_by(event))
        case UsageReported():
            turn = replace(
                turn, usage=turn.usage + event.usage, cost_usd=turn.cost_usd + event.cost_usd
            )
        case SessionEnded():
            turn = replace(turn, result=event.result)
        case _:
            pass
    if turn.began is not None and turn.result is None:
        turn = replace(_question_told(turn, recorded), last=recorded.at)
    return replace(known, turns=(*known.turns[:-1], turn))


def _left(turn: Turn) -> Turn:
    """Nobody has worked on it since the last that was heard."""
    took = turn.seconds
    return replace(turn, earlier_s=took, began=None, last=None, asking_since=None, asked_s=0.0)


def _begun(turn: Turn, event: SessionStarted, at: datetime) -> Turn:
    # One that was cut while it waited for a person goes on waiting.
    since = at if turn.asking else None
    return replace(turn, session=event.session, began=turn.began or at, asking_since=since)


def _used_by(event: ToolDecided) -> frozenset[ApprovalId]:
    allowed = event.decision == "allow" and event.approval
    return frozenset({ApprovalId(event.approval)}) if allowed else frozenset()


def _question_told(turn: Turn, recorded: Recorded) -> Turn:
    match recorded.event:
        case ApprovalAsked(approval=approval):
            since = turn.asking_since or recorded.at
            return replace(turn, asking=turn.asking | {approval.id}, asking_since=since)
        case (
            ApprovalAnswered(approval=name)
            | ApprovalLapsed(approval=name)
            | ApprovalVoided(approval=name)
        ):
            left = turn.asking - {name}
            if left or turn.asking_since is None:
                return replace(turn, asking=left)
            took = (recorded.at - turn.asking_since).total_seconds()
            return replace(turn, asking=left, asking_since=None, asked_s=turn.asked_s + took)
        case _:
            return turn
