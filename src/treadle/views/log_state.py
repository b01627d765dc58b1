"""The state of a run, folded from its log event by event. Pure."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from treadle.domain.deliverable import Deliverable
from treadle.domain.events.agent import ToolCalled, ToolDecided, ToolFinished, UsageReported
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.focus import BacklogSaved, IssueSaved
from treadle.domain.events.run import (
    InterruptRequested,
    RoundStarted,
    RunEnded,
    RunPaused,
    RunRecovered,
    RunReopened,
    RunResumed,
    RunStarted,
)
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.events.verification import CheckFinished, SuiteFinished
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    StatusAdopted,
    WorkImported,
    WorkKept,
    WorkLanded,
    WorkspacePrepared,
)
from treadle.domain.run import RunResult
from treadle.domain.signal import Role
from treadle.views.deliverable_view import DeliverableView, make_deliverable_view
from treadle.views.tool_summary import main_argument, tool_title
from treadle.views.verification_state import (
    VerificationState,
    apply_status_change,
    apply_verification_event,
    put_deliverable,
)

Phase = Literal[
    "starting", "planning", "coding", "reviewing", "working", "checking", "between rounds", "ended"
]

PHASES: dict[Role, Phase] = {
    "initializer": "planning",
    "planner": "planning",
    "implementer": "coding",
    "reviewer": "reviewing",
}


@dataclass(frozen=True, slots=True)
class PendingToolCall:
    """A tool call whose result has not come yet."""

    id: str
    title: str
    argument: str
    since: datetime


@dataclass(frozen=True, slots=True)
class LogState:
    """A run up to now. An empty story is that of a run nobody has heard of yet."""

    started: RunStarted | None = None
    started_at: datetime | None = None
    round_number: int = 0
    phase: Phase = "starting"
    open_tools: tuple[PendingToolCall, ...] = ()
    denied: frozenset[str] = frozenset()
    settled_usd: float = 0.0
    running_usd: float = 0.0
    paused: RunPaused | None = None
    paused_at: datetime | None = None
    paused_s: float = 0.0
    # Running time of the legs before, and when this one was opened.
    earlier_s: float = 0.0
    reopened_at: datetime | None = None
    stopping: bool = False
    workspace: str = ""
    branch: str = ""
    # The commit that holds what was uncommitted in the checkout, if anything was.
    snapshot: str = ""
    commits: int = 0
    landed: WorkLanded | None = None
    kept: WorkKept | None = None
    deliverables: tuple[DeliverableView, ...] = ()
    # What a focus run leaves to a person: where it says what is unclear, and what is left to do.
    spec_issue: str = ""
    backlog: tuple[str, ...] = ()
    verified: VerificationState = field(default_factory=VerificationState)
    result: RunResult | None = None

    @property
    def cost_usd(self) -> float:
        """What ended sessions cost, and the estimate for the one that runs."""
        return self.settled_usd + self.running_usd

    def elapsed_s(self, now: datetime) -> float:
        """Running time: neither pauses nor what lies between two legs is part of it."""
        begun = self.reopened_at or self.started_at
        if begun is None:
            return 0.0
        end = self.paused_at or now
        return self.earlier_s + max(0.0, (end - begun).total_seconds() - self.paused_s)


def apply_event(story: LogState, recorded: RecordedEvent) -> LogState:
    """The story with one more event in it; events that change nothing here leave it as it is."""
    event, at = recorded.event, recorded.at
    match event:
        case RunStarted():
            return replace(story, started=event, started_at=at)
        case SessionStarted():
            return _apply_session_start(story, event)
        case SessionEnded():
            return _apply_session_end(story, event)
        case ToolCalled() | ToolDecided() | ToolFinished():
            return _apply_tool_event(story, event, at)
        case UsageReported():
            return replace(story, running_usd=story.running_usd + event.cost_usd)
        case RunRecovered() | RunReopened():
            return _apply_restart(story, event, at)
        case RunPaused() | RunResumed() | InterruptRequested() | RoundStarted() | RunEnded():
            return _apply_run_event(story, event, at)
        case _:
            return _apply_work_event(story, recorded)


def _apply_restart(story: LogState, event: RunRecovered | RunReopened, at: datetime) -> LogState:
    """The run as it started, with the limits that hold now."""
    started = story.started
    if started is not None:
        # A run that was outside the sandbox once stays marked, however it goes on.
        loose = "unsandboxed" in (started.sandbox, event.sandbox)
        started = replace(
            started,
            limits=event.limits or started.limits,
            sandbox="unsandboxed" if loose else "sandboxed",
        )
        story = replace(story, started=started)
    if isinstance(event, RunRecovered):
        return story
    return replace(
        story,
        result=None,
        stopping=False,
        phase="starting",
        earlier_s=0.0 if story.result is None else story.result.duration_s,
        reopened_at=at,
        paused=None,
        paused_at=None,
        paused_s=0.0,
    )


def _apply_run_event(
    story: LogState,
    event: RunPaused | RunResumed | InterruptRequested | RoundStarted | RunEnded,
    at: datetime,
) -> LogState:
    match event:
        case RunPaused():
            return replace(story, paused=event, paused_at=at)
        case RunResumed():
            since = story.paused_at or at
            away_s = story.paused_s + (at - since).total_seconds()
            return replace(story, paused=None, paused_at=None, paused_s=away_s)
        case InterruptRequested():
            return replace(story, stopping=True)
        case RoundStarted():
            verified = replace(story.verified, claims=False)
            return replace(story, round_number=event.number, phase="starting", verified=verified)
        case RunEnded():
            return replace(story, result=event.result, phase="ended")


def _apply_session_start(story: LogState, event: SessionStarted) -> LogState:
    phase = PHASES.get(event.role, "working")
    return replace(story, phase=phase, open_tools=(), denied=frozenset(), running_usd=0.0)


def _apply_session_end(story: LogState, event: SessionEnded) -> LogState:
    return replace(
        story,
        phase="checking" if story.verified.claims else "between rounds",
        open_tools=(),
        settled_usd=story.settled_usd + event.result.cost_usd,
        running_usd=0.0,
    )


def _apply_tool_event(
    story: LogState, event: ToolCalled | ToolDecided | ToolFinished, at: datetime
) -> LogState:
    others = tuple(tool for tool in story.open_tools if tool.id != event.id)
    match event:
        case ToolCalled():
            argument = main_argument(event.name, event.input, workspace=story.workspace)
            tool = PendingToolCall(event.id, tool_title(event.name), argument, at)
            return replace(story, open_tools=(*others, tool))
        case ToolDecided():
            if event.decision == "allow":
                return story
            return replace(story, open_tools=others, denied=story.denied | {event.id})
        case ToolFinished():
            return replace(story, open_tools=others)


def _apply_work_event(story: LogState, recorded: RecordedEvent) -> LogState:
    match recorded.event:
        case WorkspacePrepared() as event:
            uncommitted = event.snapshot if event.snapshot != event.head else ""
            return replace(story, workspace=event.path, branch=event.branch, snapshot=uncommitted)
        case WorkImported() as event:
            return replace(story, branch=event.branch, commits=event.commits)
        case WorkLanded() as event:
            return replace(story, landed=event)
        case WorkKept() as event:
            return replace(story, kept=event)
        case StatusAdopted(deliverables=adopted):
            return replace(
                story, deliverables=tuple(_adopted_deliverable(each) for each in adopted)
            )
        case DeliverableCreated(made):
            return replace(
                story, deliverables=put_deliverable(story.deliverables, make_deliverable_view(made))
            )
        case DeliverableChanged() as event:
            return replace(story, deliverables=apply_status_change(story.deliverables, event))
        case event:
            return _apply_finding(story, event)


def _apply_finding(story: LogState, event: Event) -> LogState:
    match event:
        case IssueSaved(path=path):
            return replace(story, spec_issue=path)
        case BacklogSaved(paths=paths):
            return replace(story, backlog=(*story.backlog, *paths))
        case _:
            verified, standings = apply_verification_event(
                story.verified, story.deliverables, event
            )
            phase = "checking" if isinstance(event, CheckFinished | SuiteFinished) else story.phase
            return replace(story, verified=verified, deliverables=standings, phase=phase)


def _adopted_deliverable(deliverable: Deliverable) -> DeliverableView:
    """A pass that nobody claimed is a person's own, and taken at their word."""
    standing = make_deliverable_view(deliverable)
    return standing if deliverable.claim else replace(standing, proof=deliverable.proof)
