"""The phase of a `focus` run, and how a session changes it. Pure."""

from dataclasses import dataclass, replace
from typing import Literal

from treadle.domain.events.focus import Phase
from treadle.domain.signal import SignalKind
from treadle.workflows.loop.next_action import StopRun


@dataclass(frozen=True, slots=True)
class PhaseState:
    """A round is one plan, its tasks, and one review. Stored as a step result."""

    number: int = 1
    phase: Phase = "planning"
    # Sessions of the current round.
    sessions: int = 0
    # The gains of the run; a task counts if files changed.
    plans: int = 0
    tasks: int = 0
    reviews: int = 0
    # How the run ends, once that is decided.
    stop: StopRun | None = None

    @property
    def complete(self) -> int:
        """The number of complete rounds."""
        return self.number - 1 if self.stop is None else self.number

    @property
    def unfinished(self) -> int:
        """1 if a round has started and is not complete, else 0."""
        has_started = self.sessions > 0 or self.phase != "planning"
        return 1 if has_started and self.stop is None else 0

    @property
    def measure(self) -> str:
        """Changes with each gain; `stuck` compares it."""
        return f"{self.plans} plans, {self.tasks} tasks, {self.reviews} reviews"


@dataclass(frozen=True, slots=True)
class SessionVerdict:
    """The signal that ended a session, if there was one. Stored as a step result."""

    signal: SignalKind | None = None
    # Whether the session handed over its plan or its findings.
    handed_over: bool = False
    # The path of the saved spec issue.
    issue: str = ""


# cut: the run was asked to stop before the verdict.
ReviewOutcome = Literal["approved", "unproven", "changes", "given_up", "tests_failed", "cut"]


@dataclass(frozen=True, slots=True)
class ReviewVerdict:
    """The verdict of a review. Stored as a step result."""

    outcome: ReviewOutcome
    reason: str
    took_s: float = 0.0


def after_session(state: PhaseState, verdict: SessionVerdict, *, files_changed: bool) -> PhaseState:
    """The state after a session; `files_changed`: its work changed files.

    Without the signal that ends the phase, the next session repeats the phase.
    """
    state = replace(state, sessions=state.sessions + 1)
    tasks = state.tasks + 1 if files_changed else state.tasks
    match state.phase, verdict.signal:
        case _, "spec_issue":
            message = f"the specifications need a person; the issue is in {verdict.issue}"
            return replace(state, stop=StopRun("spec_issue", message))
        case "planning", "plan_complete" if verdict.handed_over:
            return replace(state, phase="implementing", plans=state.plans + 1)
        case "implementing", "progress":
            return replace(state, tasks=tasks)
        case "implementing", "done":
            return replace(state, phase="reviewing", tasks=tasks)
        case _:
            return state


def no_effect_reason(verdict: SessionVerdict, refusal: str) -> str:
    """Why the signal of a session does not count; empty if it does. `refusal`: why its hand-over
    was refused."""
    match verdict.signal:
        case "plan_complete" if not verdict.handed_over:
            missing = "no plan was handed over with write_plan"
        case "request_changes" if not verdict.handed_over:
            missing = "no findings were handed over with write_review"
        case _:
            return ""
    refused = " ".join(refusal.split())[:300]
    reason = f"{missing}, which refused what it got: {refused}" if refused else missing
    return f"{verdict.signal} does not count, another session starts: {reason}"


def has_review(state: PhaseState, verdict: SessionVerdict) -> bool:
    """Whether a session handed over a complete review."""
    if state.phase != "reviewing":
        return False
    return verdict.signal == "approved" or (
        verdict.signal == "request_changes" and verdict.handed_over
    )


def after_review(state: PhaseState, verdict: ReviewVerdict) -> PhaseState:
    """The state after a review."""
    if verdict.outcome == "cut":
        return state
    state = replace(state, reviews=state.reviews + 1)
    match verdict.outcome:
        case "approved":
            return replace(state, stop=StopRun("approved", verdict.reason))
        case "unproven":
            return replace(state, stop=StopRun("unproven", verdict.reason))
        case "given_up":
            return replace(state, stop=StopRun("max_iterations", verdict.reason))
        case "tests_failed":
            return replace(state, stop=StopRun("tests_failed", verdict.reason))
        case "changes":
            return replace(state, number=state.number + 1, phase="planning", sessions=0)
