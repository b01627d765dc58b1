"""The state of a run, folded from its log event by event. Pure."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from treadle.domain.events.agent import ToolCalled, ToolDecided, ToolFinished, UsageReported
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.focus import BacklogSaved, IssueSaved
from treadle.domain.events.publishing import BranchPushed, PullRequestOpened, PullRequestUpdated
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
    CommitsKept,
    SetupFinished,
    ToolFile,
    ToolFilesTouched,
    WorkChanged,
    WorkImported,
    WorkKept,
    WorkLanded,
    WorkspacePrepared,
)
from treadle.domain.run import RunResult
from treadle.domain.signal import Role
from treadle.views.deliverable_state import apply_deliverable_event
from treadle.views.deliverable_view import DeliverableView
from treadle.views.tool_summary import main_argument, tool_title
from treadle.views.verification_state import VerificationState, apply_verification_event

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
    """A run up to its last event; the empty state is that of a run without events."""

    started: RunStarted | None = None
    started_at: datetime | None = None
    round_number: int = 0
    phase: Phase = "starting"
    open_tools: tuple[PendingToolCall, ...] = ()
    # The last call, and the call that this event answers if another one came between the two.
    last_call: str = ""
    answered: PendingToolCall | None = None
    denied: frozenset[str] = frozenset()
    settled_usd: float = 0.0
    running_usd: float = 0.0
    paused: RunPaused | None = None
    paused_at: datetime | None = None
    paused_s: float = 0.0
    # The running time before the last reopening, and when that was.
    earlier_s: float = 0.0
    reopened_at: datetime | None = None
    stopping: bool = False
    workspace: str = ""
    branch: str = ""
    # The commit with what was uncommitted in the checkout; empty if nothing was.
    snapshot: str = ""
    commits: int = 0
    changes: WorkChanged | None = None
    # Changed files that tools obey by themselves.
    tool_files: tuple[ToolFile, ...] = ()
    landed: WorkLanded | None = None
    kept: WorkKept | None = None
    # Of all rounds together.
    dropped: CommitsKept | None = None
    pushed: BranchPushed | None = None
    pull_request: PullRequestOpened | PullRequestUpdated | None = None
    deliverables: tuple[DeliverableView, ...] = ()
    # Paths that a focus run leaves to a person: the unclear specification, the remaining work.
    spec_issue: str = ""
    backlog: tuple[str, ...] = ()
    # The last setup, if it failed.
    failed_setup: SetupFinished | None = None
    verified: VerificationState = field(default_factory=VerificationState)
    result: RunResult | None = None

    @property
    def cost_usd(self) -> float:
        """The cost of the ended sessions and the estimate for the one that runs."""
        return self.settled_usd + self.running_usd

    def elapsed_s(self, now: datetime) -> float:
        """The running time without pauses and without the time between an end and a reopening."""
        start = self.reopened_at or self.started_at
        if start is None:
            return 0.0
        end = self.paused_at or now
        return self.earlier_s + max(0.0, (end - start).total_seconds() - self.paused_s)


def apply_event(state: LogState, recorded: RecordedEvent) -> LogState:
    """The state after one more event; most events of an agent change nothing here."""
    event, at = recorded.event, recorded.at
    match event:
        case RunStarted():
            return replace(state, started=event, started_at=at)
        case SessionStarted():
            return _apply_session_start(state, event)
        case SessionEnded():
            return _apply_session_end(state, event)
        case ToolCalled() | ToolDecided() | ToolFinished():
            return _apply_tool_event(state, event, at)
        case UsageReported():
            return replace(state, running_usd=state.running_usd + event.cost_usd)
        case RunRecovered() | RunReopened():
            return _apply_restart(state, event, at)
        case RunPaused() | RunResumed() | InterruptRequested() | RoundStarted() | RunEnded():
            return _apply_run_event(state, event, at)
        case _:
            return _apply_work_event(state, recorded)


def _apply_restart(state: LogState, event: RunRecovered | RunReopened, at: datetime) -> LogState:
    """The run with the limits that hold now; a reopened run has no result yet."""
    started = state.started
    if started is not None:
        # A run that was unsandboxed once stays marked as such.
        unsandboxed = "unsandboxed" in (started.sandbox, event.sandbox)
        started = replace(
            started,
            limits=event.limits or started.limits,
            sandbox="unsandboxed" if unsandboxed else "sandboxed",
        )
        state = replace(state, started=started)
    if isinstance(event, RunRecovered):
        return state
    return replace(
        state,
        result=None,
        stopping=False,
        phase="starting",
        earlier_s=0.0 if state.result is None else state.result.duration_s,
        reopened_at=at,
        paused=None,
        paused_at=None,
        paused_s=0.0,
    )


def _apply_run_event(
    state: LogState,
    event: RunPaused | RunResumed | InterruptRequested | RoundStarted | RunEnded,
    at: datetime,
) -> LogState:
    match event:
        case RunPaused():
            return replace(state, paused=event, paused_at=at)
        case RunResumed():
            since = state.paused_at or at
            paused_s = state.paused_s + (at - since).total_seconds()
            return replace(state, paused=None, paused_at=None, paused_s=paused_s)
        case InterruptRequested():
            return replace(state, stopping=True)
        case RoundStarted():
            verified = replace(state.verified, claims=False)
            return replace(state, round_number=event.number, phase="starting", verified=verified)
        case RunEnded():
            return replace(state, result=event.result, phase="ended")


def _apply_session_start(state: LogState, event: SessionStarted) -> LogState:
    phase = PHASES.get(event.role, "working")
    return replace(state, phase=phase, open_tools=(), denied=frozenset(), running_usd=0.0)


def _apply_session_end(state: LogState, event: SessionEnded) -> LogState:
    return replace(
        state,
        phase="checking" if state.verified.claims else "between rounds",
        open_tools=(),
        settled_usd=state.settled_usd + event.result.cost_usd,
        running_usd=0.0,
    )


def _apply_tool_event(
    state: LogState, event: ToolCalled | ToolDecided | ToolFinished, at: datetime
) -> LogState:
    others = tuple(tool for tool in state.open_tools if tool.id != event.id)
    is_last = event.id == state.last_call
    called = next((tool for tool in state.open_tools if tool.id == event.id), None)
    state = replace(state, answered=None if is_last else called)
    match event:
        case ToolCalled():
            argument = main_argument(event.name, event.input, workspace=state.workspace)
            tool = PendingToolCall(event.id, tool_title(event.name), argument, at)
            return replace(state, open_tools=(*others, tool), last_call=event.id, answered=None)
        case ToolDecided():
            if event.decision == "allow":
                return state
            return replace(state, open_tools=others, denied=state.denied | {event.id})
        case ToolFinished():
            return replace(state, open_tools=others)


def _apply_work_event(state: LogState, recorded: RecordedEvent) -> LogState:
    match recorded.event:
        case WorkspacePrepared() as event:
            uncommitted = event.snapshot if event.snapshot != event.head else ""
            return replace(state, workspace=event.path, branch=event.branch, snapshot=uncommitted)
        case SetupFinished() as event:
            return replace(state, failed_setup=_failed_setup(state.failed_setup, event))
        case (WorkImported() | WorkChanged() | WorkLanded() | WorkKept() | CommitsKept()) as event:
            return _apply_commit_event(state, event)
        case BranchPushed() | PullRequestOpened() | PullRequestUpdated() as event:
            return _apply_publishing_event(state, event)
        case ToolFilesTouched(files=files):
            return replace(state, tool_files=files)
        case IssueSaved(path=path):
            return replace(state, spec_issue=path)
        case BacklogSaved(paths=paths):
            return replace(state, backlog=(*state.backlog, *paths))
        case event:
            return _apply_verification_event(state, event)


def _failed_setup(failed: SetupFinished | None, event: SetupFinished) -> SetupFinished | None:
    """A clean checkout that could be set up says nothing about the workspace, where it failed."""
    if event.exit_code:
        return event
    return failed if failed is not None and event.commit and not failed.commit else None


def _add_dropped(before: CommitsKept | None, event: CommitsKept) -> CommitsKept:
    if before is None:
        return event
    return replace(event, refs=(*before.refs, *event.refs), commits=before.commits + event.commits)


def _apply_publishing_event(
    state: LogState, event: BranchPushed | PullRequestOpened | PullRequestUpdated
) -> LogState:
    if isinstance(event, BranchPushed):
        return replace(state, pushed=event)
    # What was kept here in an earlier leg is published now.
    return replace(state, pull_request=event, kept=None)


def _apply_commit_event(
    state: LogState,
    event: WorkImported | WorkChanged | WorkLanded | WorkKept | CommitsKept,
) -> LogState:
    match event:
        case CommitsKept():
            return replace(state, dropped=_add_dropped(state.dropped, event))
        case WorkImported():
            return replace(state, branch=event.branch, commits=event.commits)
        case WorkChanged():
            return replace(state, changes=event)
        case WorkLanded():
            return replace(state, landed=event)
        case WorkKept():
            return replace(state, kept=event)


def _apply_verification_event(state: LogState, event: Event) -> LogState:
    before = state.deliverables
    return replace(
        state,
        deliverables=apply_deliverable_event(before, event),
        verified=apply_verification_event(state.verified, event, deliverables=before),
        phase="checking" if isinstance(event, CheckFinished | SuiteFinished) else state.phase,
    )
