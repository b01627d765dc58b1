"""Where a `focus` run is in its rounds, and how a session moves it on. Pure."""

from dataclasses import dataclass, replace
from typing import Literal

from treadle.domain.events.focus import Phase
from treadle.domain.signal import SignalKind
from treadle.workflows.loop.next_action import StopRun


@dataclass(frozen=True, slots=True)
class PhaseState:
    """A round is one plan, the tasks done for it, and one review."""

    number: int = 1
    phase: Phase = "planning"
    # Sessions that the round has taken so far.
    sessions: int = 0
    # What the run has gained by its own measure; a task counts where files changed.
    plans: int = 0
    tasks: int = 0
    reviews: int = 0
    # How the run ends, once that is clear.
    stop: StopRun | None = None

    @property
    def complete(self) -> int:
        """Rounds that are over."""
        return self.number - 1 if self.stop is None else self.number

    @property
    def unfinished(self) -> int:
        """The round that was begun and is not over, as a number of rounds."""
        begun = self.sessions > 0 or self.phase != "planning"
        return 1 if begun and self.stop is None else 0

    @property
    def measure(self) -> str:
        """Another for each gain, for whoever looks whether the run gets anywhere."""
        return f"{self.plans} plans, {self.tasks} tasks, {self.reviews} reviews"


@dataclass(frozen=True, slots=True)
class SessionVerdict:
    """What a session came to: the signal that ended it, if there was one."""

    signal: SignalKind | None = None
    # Whether what the signal is about is there: the plan, or the findings of a review.
    handed_over: bool = False
    # Where the spec issue was saved.
    issue: str = ""


# cut: the run was asked to stop before it was clear.
ReviewOutcome = Literal["approved", "changes", "given_up", "tests_failed", "cut"]


@dataclass(frozen=True, slots=True)
class ReviewVerdict:
    """What a review comes to."""

    outcome: ReviewOutcome
    reason: str
    took_s: float = 0.0


def after_session(stage: PhaseState, turned: SessionVerdict, *, moved: bool) -> PhaseState:
    """The stage with one session added; `moved`: its work changed files.

    A session without the signal that its phase ends by changes nothing, so that the phase is tried
    again.
    """
    stage = replace(stage, sessions=stage.sessions + 1)
    done = stage.tasks + 1 if moved else stage.tasks
    match stage.phase, turned.signal:
        case _, "spec_issue":
            told = f"the specifications need a person; the issue is in {turned.issue}"
            return replace(stage, stop=StopRun("spec_issue", told))
        case "planning", "plan_complete" if turned.handed_over:
            return replace(stage, phase="implementing", plans=stage.plans + 1)
        case "implementing", "progress":
            return replace(stage, tasks=done)
        case "implementing", "done":
            return replace(stage, phase="reviewing", tasks=done)
        case _:
            return stage


def no_effect_reason(turned: SessionVerdict, refusal: str) -> str:
    """Why the signal of a session does not count; empty if it does. `refusal`: what was wrong with
    what it tried to hand over."""
    match turned.signal:
        case "plan_complete" if not turned.handed_over:
            missing = "no plan was handed over with write_plan"
        case "request_changes" if not turned.handed_over:
            missing = "no findings were handed over with write_review"
        case _:
            return ""
    refused = " ".join(refusal.split())[:300]
    why = f"{missing}, which refused what it got: {refused}" if refused else missing
    return f"{turned.signal} does not count, another session is asked: {why}"


def has_review(stage: PhaseState, turned: SessionVerdict) -> bool:
    """Whether a session ended with a review that can be judged."""
    if stage.phase != "reviewing":
        return False
    return turned.signal == "approved" or (
        turned.signal == "request_changes" and turned.handed_over
    )


def after_review(stage: PhaseState, reviewed: ReviewVerdict) -> PhaseState:
    """The stage with one review judged."""
    if reviewed.outcome == "cut":
        return stage
    stage = replace(stage, reviews=stage.reviews + 1)
    match reviewed.outcome:
        case "approved":
            return replace(stage, stop=StopRun("approved", reviewed.reason))
        case "given_up":
            return replace(stage, stop=StopRun("max_iterations", reviewed.reason))
        case "tests_failed":
            return replace(stage, stop=StopRun("tests_failed", reviewed.reason))
        case "changes":
            return replace(stage, number=stage.number + 1, phase="planning", sessions=0)
