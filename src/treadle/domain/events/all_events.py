"""The closed union of all events, and the envelope of an event in the log."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from treadle.domain.events import (
    agent,
    audit,
    focus,
    oversight,
    plan,
    publishing,
    queue,
    run,
    session,
    verification,
    work,
)
from treadle.domain.ids import RunId

Event: TypeAlias = (
    run.RunQueued
    | run.RunStarted
    | run.RunWarned
    | run.RoundStarted
    | run.RoundFailed
    | run.RunPaused
    | run.RunResumed
    | run.RunRecovered
    | run.RunReopened
    | run.InterruptRequested
    | run.RunEnded
    | session.SessionStarted
    | session.PromptSent
    | session.SessionEnded
    | session.SignalGiven
    | session.SignalRefused
    | session.PromiseRefused
    | agent.AgentStarted
    | agent.AgentSpoke
    | agent.AgentThought
    | agent.ToolCalled
    | agent.ToolDecided
    | agent.ToolFinished
    | agent.UsageReported
    | agent.ApiRetried
    | agent.QuotaReported
    | agent.MessageSkipped
    | agent.ProcessEnded
    | work.DeliverableCreated
    | work.DeliverableChanged
    | work.StatusAdopted
    | work.PlanMade
    | work.WorkContinued
    | work.WorkspacePrepared
    | work.SetupFinished
    | work.WorkCommitted
    | work.WorkImported
    | work.WorkChanged
    | work.WorkWithheld
    | work.ToolFilesTouched
    | work.WorkLanded
    | work.WorkKept
    | work.CommitsKept
    | work.WorkDropped
    | work.WorkRestored
    | work.LandingUndone
    | publishing.BranchPushed
    | publishing.PullRequestOpened
    | publishing.PullRequestUpdated
    | publishing.PullRequestFollowed
    | publishing.FeedbackReceived
    | verification.CheckAdded
    | verification.DeliverableClaimed
    | verification.ClaimRefused
    | verification.CheckFinished
    | verification.DeliverableGraded
    | verification.SuiteGraded
    | verification.RegressionFound
    | verification.SuiteFinished
    | verification.EvidenceTouched
    | focus.PhaseStarted
    | focus.PlanWritten
    | focus.CommandFinished
    | focus.ReviewWritten
    | focus.ReviewJudged
    | focus.IssueSaved
    | focus.BacklogSaved
    | focus.CommitFailed
    | audit.FindingSaved
    | audit.FindingDropped
    | plan.NoteSubmitted
    | plan.NoteApplied
    | queue.ItemStarted
    | queue.ItemEnded
    | queue.ItemRemoved
    | queue.ItemKept
    | queue.ItemSkipped
    | queue.WaitStarted
    | queue.WaitEnded
    | oversight.LimitNeared
    | oversight.BreakerOpened
    | oversight.BreakerClosed
    | oversight.HostAsked
    | oversight.BillDiffered
    | oversight.ApprovalAsked
    | oversight.ApprovalAnswered
    | oversight.ApprovalLapsed
    | oversight.ApprovalVoided
)

# These may be stored up to 100 ms late; all others are stored at once.
DISPLAY_ONLY: tuple[type[Event], ...] = (
    agent.AgentSpoke,
    agent.AgentThought,
    agent.ToolCalled,
    agent.ToolFinished,
    agent.MessageSkipped,
    session.PromptSent,
)


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event in the log, with its run, number and time."""

    run: RunId
    seq: int
    at: datetime
    event: Event
