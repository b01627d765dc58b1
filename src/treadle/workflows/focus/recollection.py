"""What the log of a `focus` run says of its plan, its tasks and its reviews. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from treadle.domain.events.agent import ToolCalled, ToolFinished
from treadle.domain.events.all_events import Recorded
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
from treadle.domain.signal import TERMINAL, Role, Signal
from treadle.workflows.deliver.decisions import Stop
from treadle.workflows.focus.stage import Stage

# How the names of the tools end by which a session hands over what it made.
HAND_OVER = ("write_plan", "write_review")


@dataclass(frozen=True, slots=True)
class Said:
    """A signal that was accepted, and when."""

    signal: Signal
    at: datetime


@dataclass(frozen=True, slots=True)
class Course:
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
    said: tuple[Said, ...] = ()
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
    def verdict(self) -> Said | None:
        """What ended the last session: a spec issue before all else, then the first signal that a
        session ends by. One that was cut may say anew how it ends."""
        issues = [said for said in self.said if said.signal.kind == "spec_issue"]
        in_order = (*issues, *self.said[self.cut_after :], *self.said)
        return next((said for said in in_order if said.signal.kind in TERMINAL), None)

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


def recollect(log: Iterable[Recorded]) -> Course:
    """The fold of a whole log, or of its outline."""
    course = Course()
    for recorded in log:
        course = told(course, recorded)
    return course


def told(course: Course, recorded: Recorded) -> Course:
    """The course with one event more."""
    event = recorded.event
    match event:
        case RoundStarted():
            begun = replace(course, role=None, said=(), cut_after=0, draft="", review=None)
            return replace(begun, calls=(), refusal="")
        case SessionStarted():
            return replace(course, role=event.role, cut_after=len(course.said))
        case SignalGiven():
            said = Said(Signal(event.kind, event.text), recorded.at)
            return _said(replace(course, said=(*course.said, said)), said.signal)
        case PhaseStarted():
            return replace(course, number=event.number, phase=event.phase)
        case RunEnded():
            return replace(course, ended=True)
        case RunReopened():
            return replace(course, ended=False)
        case _:
            return _handed_over(course, recorded)


def _handed_over(course: Course, recorded: Recorded) -> Course:
    event = recorded.event
    match event:
        case PlanWritten():
            return replace(course, draft=event.text)
        case ReviewWritten():
            return replace(course, review=event)
        case ReviewJudged():
            return _judged(replace(course, judged=(*course.judged, event)), event)
        case CommandFinished():
            return replace(course, check=event)
        case WorkContinued():
            return replace(course, baseline=event.commit)
        case WorkspacePrepared():
            empty = event.head is None and course.baseline is None
            return replace(course, baseline=course.baseline or (None if empty else event.snapshot))
        case _:
            return _called(course, recorded)


def _called(course: Course, recorded: Recorded) -> Course:
    match recorded.event:
        case ToolCalled(id=call, name=name) if name.endswith(HAND_OVER):
            return replace(course, calls=(*course.calls, call))
        case ToolFinished(id=call, is_error=True, output=output) if call in course.calls:
            return replace(course, refusal=output)
        case _:
            return course


def _said(course: Course, signal: Signal) -> Course:
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


def _judged(course: Course, event: ReviewJudged) -> Course:
    if event.verdict == "approved":
        return replace(course, approved=True)
    return replace(course, phase="planning", number=event.number + 1)


def stage_of(course: Course) -> Stage:
    """Where a run goes on that had ended: with the phase that was due."""
    stop = None
    if course.approved and course.judged:
        stop = Stop("approved", course.judged[-1].reason)
    return Stage(
        number=course.number,
        phase=course.phase,
        plans=len(course.plans),
        reviews=len(course.judged),
        stop=stop,
    )
