"""Reads the plans, tasks and reviews of a `focus` run from its log. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from treadle.domain.events.agent import ToolCalled, ToolFinished
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.focus import (
    CommandFinished,
    Phase,
    PhaseStarted,
    PlanWritten,
    ReviewJudged,
    ReviewWritten,
)
from treadle.domain.events.run import RoundStarted, RunEnded, RunReopened
from treadle.domain.events.session import SessionStarted, SignalGiven
from treadle.domain.events.work import WorkContinued, WorkspacePrepared
from treadle.domain.signal import TERMINAL_SIGNALS, Role, Signal
from treadle.workflows.focus.phases import PhaseState
from treadle.workflows.loop.next_action import StopRun

# Suffixes of the tools that hand over a plan or a review.
HANDOVER_TOOLS = ("write_plan", "write_review")


@dataclass(frozen=True, slots=True)
class AcceptedSignal:
    """A signal of a session, and its time."""

    signal: Signal
    at: datetime


@dataclass(frozen=True, slots=True)
class FocusHistory:
    """The state of a focus run from its log."""

    number: int = 1
    # The next phase; after an approval it has no meaning.
    phase: Phase = "planning"
    approved: bool = False
    # The accepted plans, one per round.
    plans: tuple[str, ...] = ()
    # Signals of implementers since the plan, in order; and those for each earlier plan.
    entries: tuple[Signal, ...] = ()
    earlier_entries: tuple[tuple[Signal, ...], ...] = ()
    reviews: tuple[ReviewJudged, ...] = ()
    check: CommandFinished | None = None
    # The commit before the first change; None if the repository had no commit.
    baseline: str | None = None
    # The role, signals and hand-overs of the last session.
    role: Role | None = None
    signals: tuple[AcceptedSignal, ...] = ()
    # How many of these signals came before its last interruption.
    signals_before_cut: int = 0
    draft: str = ""
    review: ReviewWritten | None = None
    # Its calls of hand-over tools, and the last error of one.
    calls: tuple[str, ...] = ()
    refusal: str = ""
    # Whether the run is over and its working files are archived.
    ended: bool = False

    @property
    def verdict(self) -> AcceptedSignal | None:
        """The signal that ended the last session: a spec issue, else the first terminal signal.
        Signals after an interruption come before earlier ones."""
        issues = [each for each in self.signals if each.signal.kind == "spec_issue"]
        in_order = (*issues, *self.signals[self.signals_before_cut :], *self.signals)
        return next((each for each in in_order if each.signal.kind in TERMINAL_SIGNALS), None)

    @property
    def plan(self) -> str:
        """The current plan; empty before the first."""
        return self.plans[-1] if self.plans else ""

    @property
    def is_draft(self) -> bool:
        """Whether a plan was handed over that is not accepted yet."""
        return bool(self.draft) and self.role == "planner" and self.draft != self.plan

    @property
    def requested_changes(self) -> ReviewJudged | None:
        """The last review, if it asks for changes."""
        last = self.reviews[-1] if self.reviews else None
        return last if last is not None and last.verdict == "changes_requested" else None


def read_focus_history(log: Iterable[RecordedEvent]) -> FocusHistory:
    """The state after all events of a log, or of its outline."""
    history = FocusHistory()
    for recorded in log:
        history = apply(history, recorded)
    return history


def apply(history: FocusHistory, recorded: RecordedEvent) -> FocusHistory:
    """The history with one more event."""
    event = recorded.event
    match event:
        case RoundStarted():
            return replace(
                history,
                role=None,
                signals=(),
                signals_before_cut=0,
                draft="",
                review=None,
                calls=(),
                refusal="",
            )
        case SessionStarted():
            return replace(history, role=event.role, signals_before_cut=len(history.signals))
        case SignalGiven():
            signal = Signal(event.kind, event.text)
            signals = (*history.signals, AcceptedSignal(signal, recorded.at))
            return _apply_signal(replace(history, signals=signals), signal)
        case PhaseStarted():
            return replace(history, number=event.number, phase=event.phase)
        case RunEnded():
            return replace(history, ended=True)
        case RunReopened():
            return replace(history, ended=False)
        case _:
            return _apply_result(history, recorded)


def _apply_result(history: FocusHistory, recorded: RecordedEvent) -> FocusHistory:
    event = recorded.event
    match event:
        case PlanWritten():
            return replace(history, draft=event.text)
        case ReviewWritten():
            return replace(history, review=event)
        case ReviewJudged():
            return _apply_review(replace(history, reviews=(*history.reviews, event)), event)
        case CommandFinished():
            return replace(history, check=event)
        case WorkContinued():
            return replace(history, baseline=event.commit)
        case WorkspacePrepared():
            empty = event.head is None and history.baseline is None
            return replace(
                history, baseline=history.baseline or (None if empty else event.snapshot)
            )
        case _:
            return _apply_tool_call(history, recorded)


def _apply_tool_call(history: FocusHistory, recorded: RecordedEvent) -> FocusHistory:
    match recorded.event:
        case ToolCalled(id=call, name=name) if name.endswith(HANDOVER_TOOLS):
            return replace(history, calls=(*history.calls, call))
        case ToolFinished(id=call, is_error=True, output=output) if call in history.calls:
            return replace(history, refusal=output)
        case _:
            return history


def _apply_signal(history: FocusHistory, signal: Signal) -> FocusHistory:
    match history.role, signal.kind:
        case "planner", "plan_complete" if history.draft:
            # An interrupted planner may repeat this signal.
            earlier = history.plans if history.phase == "planning" else history.plans[:-1]
            plans, earlier_entries = (*earlier, history.draft), history.earlier_entries
            if history.plans and len(plans) > len(history.plans):
                earlier_entries = (*earlier_entries, history.entries)
            history = replace(history, plans=plans, entries=(), phase="implementing")
            return replace(history, earlier_entries=earlier_entries)
        case "implementer", _:
            history = replace(history, entries=(*history.entries, signal))
            done = signal.kind == "done" and history.phase == "implementing"
            return replace(history, phase="reviewing") if done else history
        case _:
            return history


def _apply_review(history: FocusHistory, event: ReviewJudged) -> FocusHistory:
    if event.verdict == "approved":
        return replace(history, approved=True)
    return replace(history, phase="planning", number=event.number + 1)


def phase_state(history: FocusHistory) -> PhaseState:
    """The phase with which a leg of the run starts."""
    stop = None
    if history.approved and history.reviews:
        stop = StopRun("approved", history.reviews[-1].reason)
    return PhaseState(
        number=history.number,
        phase=history.phase,
        plans=len(history.plans),
        reviews=len(history.reviews),
        stop=stop,
    )
