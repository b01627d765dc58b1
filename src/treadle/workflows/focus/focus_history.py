"""The plans, tasks and reviews of a `focus` run from its log. Pure."""

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

# How the names of the tools end by which a session hands over what it made.
HAND_OVER = ("write_plan", "write_review")


@dataclass(frozen=True, slots=True)
class AcceptedSignal:
    """A signal that was accepted, and when."""

    signal: Signal
    at: datetime


@dataclass(frozen=True, slots=True)
class FocusHistory:
    """A focus run as its log tells it."""

    number: int = 1
    # The one that is due; a review that approves leaves none.
    phase: Phase = "planning"
    approved: bool = False
    # All that counted, one for each round.
    plans: tuple[str, ...] = ()
    # What implementers said since the plan was made, in order; the same for each plan before.
    entries: tuple[Signal, ...] = ()
    earlier_entries: tuple[tuple[Signal, ...], ...] = ()
    judged: tuple[ReviewJudged, ...] = ()
    check: CommandFinished | None = None
    # The commit before the first change; None where the repository had none.
    baseline: str | None = None
    # Of the session that was begun last: its role, what it said, what it handed over.
    role: Role | None = None
    signals: tuple[AcceptedSignal, ...] = ()
    # How much of that was said before it was cut off and begun again.
    cut_after: int = 0
    draft: str = ""
    review: ReviewWritten | None = None
    # Its calls of the tools to hand over by, and what was last wrong with one.
    calls: tuple[str, ...] = ()
    refusal: str = ""
    # Whether the run is over, so that its working files are put away.
    ended: bool = False

    @property
    def verdict(self) -> AcceptedSignal | None:
        """What ended the last session: a spec issue before all else, then the first signal that a
        session ends by. One that was cut may say anew how it ends."""
        issues = [said for said in self.signals if said.signal.kind == "spec_issue"]
        in_order = (*issues, *self.signals[self.cut_after :], *self.signals)
        return next((said for said in in_order if said.signal.kind in TERMINAL_SIGNALS), None)

    @property
    def plan(self) -> str:
        """The one that is worked on; empty before the first."""
        return self.plans[-1] if self.plans else ""

    @property
    def is_draft(self) -> bool:
        """Whether a plan was handed over that does not count yet."""
        return bool(self.draft) and self.role == "planner" and self.draft != self.plan

    @property
    def requested(self) -> ReviewJudged | None:
        """The last review, if it asks for changes."""
        last = self.judged[-1] if self.judged else None
        return last if last is not None and last.verdict == "changes_requested" else None


def read_focus_history(log: Iterable[RecordedEvent]) -> FocusHistory:
    """The fold of a whole log, or of its outline."""
    course = FocusHistory()
    for recorded in log:
        course = apply(course, recorded)
    return course


def apply(course: FocusHistory, recorded: RecordedEvent) -> FocusHistory:
    """The course with one event more."""
    event = recorded.event
    match event:
        case RoundStarted():
            begun = replace(course, role=None, signals=(), cut_after=0, draft="", review=None)
            return replace(begun, calls=(), refusal="")
        case SessionStarted():
            return replace(course, role=event.role, cut_after=len(course.signals))
        case SignalGiven():
            said = AcceptedSignal(Signal(event.kind, event.text), recorded.at)
            return _apply_signal(replace(course, signals=(*course.signals, said)), said.signal)
        case PhaseStarted():
            return replace(course, number=event.number, phase=event.phase)
        case RunEnded():
            return replace(course, ended=True)
        case RunReopened():
            return replace(course, ended=False)
        case _:
            return _apply_result(course, recorded)


def _apply_result(course: FocusHistory, recorded: RecordedEvent) -> FocusHistory:
    event = recorded.event
    match event:
        case PlanWritten():
            return replace(course, draft=event.text)
        case ReviewWritten():
            return replace(course, review=event)
        case ReviewJudged():
            return _apply_review(replace(course, judged=(*course.judged, event)), event)
        case CommandFinished():
            return replace(course, check=event)
        case WorkContinued():
            return replace(course, baseline=event.commit)
        case WorkspacePrepared():
            empty = event.head is None and course.baseline is None
            return replace(course, baseline=course.baseline or (None if empty else event.snapshot))
        case _:
            return _apply_tool_call(course, recorded)


def _apply_tool_call(course: FocusHistory, recorded: RecordedEvent) -> FocusHistory:
    match recorded.event:
        case ToolCalled(id=call, name=name) if name.endswith(HAND_OVER):
            return replace(course, calls=(*course.calls, call))
        case ToolFinished(id=call, is_error=True, output=output) if call in course.calls:
            return replace(course, refusal=output)
        case _:
            return course


def _apply_signal(course: FocusHistory, signal: Signal) -> FocusHistory:
    match course.role, signal.kind:
        case "planner", "plan_complete" if course.draft:
            # One that was cut after it had said so may say it again.
            earlier = course.plans if course.phase == "planning" else course.plans[:-1]
            plans, before = (*earlier, course.draft), course.earlier_entries
            if course.plans and len(plans) > len(course.plans):
                before = (*before, course.entries)
            course = replace(course, plans=plans, entries=(), phase="implementing")
            return replace(course, earlier_entries=before)
        case "implementer", _:
            course = replace(course, entries=(*course.entries, signal))
            done = signal.kind == "done" and course.phase == "implementing"
            return replace(course, phase="reviewing") if done else course
        case _:
            return course


def _apply_review(course: FocusHistory, event: ReviewJudged) -> FocusHistory:
    if event.verdict == "approved":
        return replace(course, approved=True)
    return replace(course, phase="planning", number=event.number + 1)


def phase_state(course: FocusHistory) -> PhaseState:
    """Where a run goes on that had ended: with the phase that was due."""
    stop = None
    if course.approved and course.judged:
        stop = StopRun("approved", course.judged[-1].reason)
    return PhaseState(
        number=course.number,
        phase=course.phase,
        plans=len(course.plans),
        reviews=len(course.judged),
        stop=stop,
    )
