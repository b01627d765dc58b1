"""The state of a run, folded from its log event by event. Pure."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from treadle.domain.approval import Approval
from treadle.domain.effort import RunEffort, apply_spent
from treadle.domain.events.agent import ToolCalled, ToolDecided, ToolFinished, UsageReported
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.focus import BacklogSaved, IssueSaved, PlanWritten
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
)
from treadle.domain.events.queue import QueueEvent
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
from treadle.views.deliverable_state import apply_deliverable_event
from treadle.views.deliverable_view import DeliverableView
from treadle.views.publishing_state import (
    PublishingEvent,
    PublishingState,
    apply_publishing_event,
)
from treadle.views.recovery_text import RecoveryEvent, add_dropped, kept_after
from treadle.views.round_text import PHASES, Phase
from treadle.views.running_time import RunningTime, add_event
from treadle.views.tool_state import ToolState, apply_tool_event
from treadle.views.verification_state import VerificationState, apply_verification_event
from treadle.workflows.queue.queue_state import QueueState, apply_queue_event

RunEvent: TypeAlias = RunPaused | RunResumed | InterruptRequested | RoundStarted | RunEnded
CommitEvent: TypeAlias = WorkImported | WorkChanged | WorkLanded | WorkKept | CommitsKept


@dataclass(frozen=True, slots=True)
class LogState:
    """A run up to its last event; the empty state is that of a run without events."""

    started: RunStarted | None = None
    round_number: int = 0
    phase: Phase = "starting"
    tools: ToolState = field(default_factory=ToolState)
    # The question that waits for an answer.
    question: Approval | None = None
    spent: RunEffort = field(default_factory=RunEffort)
    settled_usd: float = 0.0
    running_usd: float = 0.0
    paused: RunPaused | None = None
    time: RunningTime = field(default_factory=RunningTime)
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
    published: PublishingState = field(default_factory=PublishingState)
    deliverables: tuple[DeliverableView, ...] = ()
    # Paths that a focus run leaves to a person: the unclear specification, the remaining work.
    spec_issue: str = ""
    backlog: tuple[str, ...] = ()
    # The last setup, if it failed.
    failed_setup: SetupFinished | None = None
    verified: VerificationState = field(default_factory=VerificationState)
    # Of a queue: its items.
    queue: QueueState = field(default_factory=QueueState)
    result: RunResult | None = None

    @property
    def cost_usd(self) -> float:
        """The cost of the ended sessions and the estimate for the one that runs."""
        return self.settled_usd + self.running_usd

    def elapsed_s(self, now: datetime) -> float:
        """The running time: see `running_time`."""
        return self.time.until(now)


def apply_event(state: LogState, recorded: RecordedEvent) -> LogState:
    """The state after one more event; most events of an agent change only the running time."""
    return replace(_apply(state, recorded), time=add_event(state.time, recorded))


def _apply(state: LogState, recorded: RecordedEvent) -> LogState:
    event, at = recorded.event, recorded.at
    match event:
        case RunStarted():
            return replace(state, started=event)
        case SessionStarted():
            return _apply_session_start(state, event)
        case SessionEnded():
            return _apply_session_end(state, event)
        case ToolCalled() | ToolDecided() | ToolFinished():
            return replace(state, tools=apply_tool_event(state.tools, event, at, state.workspace))
        case UsageReported():
            return replace(state, running_usd=state.running_usd + event.cost_usd)
        case RunRecovered() | RunReopened():
            state = replace(state, queue=apply_queue_event(state.queue, recorded))
            return _apply_restart(state, event)
        case event if isinstance(event, RunEvent):
            return _apply_run_event(state, event)
        case _:
            return _apply_work_event(state, recorded)


def _apply_restart(state: LogState, event: RunRecovered | RunReopened) -> LogState:
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
    return replace(state, paused=None, result=None, stopping=False, phase="starting")


def _apply_run_event(state: LogState, event: RunEvent) -> LogState:
    match event:
        case RunPaused():
            return replace(state, paused=event)
        case RunResumed():
            return replace(state, paused=None)
        case InterruptRequested():
            return replace(state, stopping=True)
        case RoundStarted():
            verified = replace(state.verified, claims=False)
            return replace(state, round_number=event.number, phase="starting", verified=verified)
        case RunEnded():
            return replace(state, result=event.result, phase="ended")


def _apply_session_start(state: LogState, event: SessionStarted) -> LogState:
    phase = PHASES.get(event.role, "working")
    return replace(
        state,
        phase=phase,
        tools=replace(state.tools, pending=(), denied=frozenset()),
        running_usd=0.0,
        spent=apply_spent(state.spent, event),
    )


def _apply_session_end(state: LogState, event: SessionEnded) -> LogState:
    return replace(
        state,
        phase="checking" if state.verified.claims else "between rounds",
        tools=replace(state.tools, pending=()),
        spent=apply_spent(state.spent, event),
        settled_usd=state.settled_usd + event.result.cost_usd,
        running_usd=0.0,
    )


def _apply_work_event(state: LogState, recorded: RecordedEvent) -> LogState:
    match recorded.event:
        case WorkspacePrepared() as event:
            uncommitted = event.snapshot if event.snapshot != event.head else ""
            return replace(state, workspace=event.path, branch=event.branch, snapshot=uncommitted)
        case event if isinstance(event, CommitEvent):
            return _apply_commit_event(state, recorded, event)
        case event if isinstance(event, QueueEvent):
            return replace(state, queue=apply_queue_event(state.queue, recorded))
        case event if isinstance(event, RecoveryEvent):
            landed = None if event.type == "landing.undone" else state.landed
            return replace(state, landed=landed, kept=kept_after(event, state.kept, recorded.run))
        case event if isinstance(event, PublishingEvent):
            return _apply_publishing_event(state, event)
        case ToolFilesTouched(files=files):
            return replace(state, tool_files=files)
        case _:
            return _apply_other_event(state, recorded)


def _apply_other_event(state: LogState, recorded: RecordedEvent) -> LogState:
    match recorded.event:
        case SetupFinished() as event:
            return replace(state, failed_setup=_failed_setup(state.failed_setup, event))
        case IssueSaved(path=path):
            return replace(state, spec_issue=path)
        case BacklogSaved(paths=paths):
            return replace(state, backlog=(*state.backlog, *paths))
        case event:
            return _apply_question_event(state, event)


def _apply_question_event(state: LogState, event: Event) -> LogState:
    match event:
        case ApprovalAsked(approval=approval):
            state = replace(state, question=approval)
        case ApprovalAnswered() | ApprovalLapsed() | ApprovalVoided():
            state = replace(state, question=None)
        case PlanWritten():
            return replace(state, spent=apply_spent(state.spent, event))
        case _:
            pass
    # A person's answer may accept failing tests.
    return _apply_verification_event(state, event)


def _failed_setup(failed: SetupFinished | None, event: SetupFinished) -> SetupFinished | None:
    """A clean checkout that could be set up says nothing about the workspace, where it failed."""
    if event.exit_code:
        return event
    return failed if failed is not None and event.commit and not failed.commit else None


def _apply_publishing_event(state: LogState, event: PublishingEvent) -> LogState:
    state = replace(state, published=apply_publishing_event(state.published, event))
    if event.type in {"pull_request.followed", "feedback.received", "branch.pushed"}:
        return state
    # What was kept here in an earlier leg is published now.
    return replace(state, kept=None)


def _apply_commit_event(state: LogState, recorded: RecordedEvent, event: CommitEvent) -> LogState:
    match event:
        case CommitsKept():
            return replace(state, dropped=add_dropped(state.dropped, event))
        case WorkImported():
            return replace(state, branch=event.branch, commits=event.commits)
        case WorkChanged():
            return replace(state, changes=event)
        case WorkLanded():
            # Of a queue, that of an item which had waited on its branch.
            return replace(state, landed=event, queue=apply_queue_event(state.queue, recorded))
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
