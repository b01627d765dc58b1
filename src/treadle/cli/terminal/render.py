"""Renders any event as the lines a person sees; covers every event type."""

from typing import TypeAlias, assert_never

from treadle.cli.terminal import (
    agent_lines,
    focus_lines,
    oversight_lines,
    queue_lines,
    run_lines,
    session_lines,
    verification_lines,
    work_lines,
)
from treadle.cli.terminal.styled_lines import Line, RenderOptions, format_line
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
from treadle.domain.events.all_events import RecordedEvent
from treadle.views.log_state import LogState

AgentEvent: TypeAlias = agent_lines.SpeechEvent | agent_lines.ToolEvent | agent_lines.ServiceEvent


def render(recorded: RecordedEvent, state: LogState, options: RenderOptions) -> list[str]:
    """Finished lines without line ends; `state` includes this event."""
    return [format_line(line, options) for line in _lines(recorded, state, options)]


def _lines(recorded: RecordedEvent, state: LogState, options: RenderOptions) -> list[Line]:
    event, at = recorded.event, recorded.at
    match event:
        case (
            run.RunStarted() | run.RunWarned() | run.RunPaused() | run.RunResumed() | run.RunEnded()
        ):
            return run_lines.run_lines(event, at, state, options)
        case run.RunQueued() | run.RunRecovered() | run.RunReopened():
            return run_lines.handover_lines(event, options)
        case run.RoundStarted() | run.RoundFailed() | run.InterruptRequested():
            return run_lines.round_lines(event, at, state, options)
        case (
            session.SessionStarted()
            | session.PromptSent()
            | session.SessionEnded()
            | session.SignalGiven()
            | session.SignalRefused()
            | session.PromiseRefused()
        ):
            return session_lines.session_lines(event, options)
        case (
            work.DeliverableCreated()
            | work.DeliverableChanged()
            | work.StatusAdopted()
            | work.PlanMade()
            | work.WorkContinued()
            | work.WorkspacePrepared()
            | work.SetupFinished()
            | work.WorkCommitted()
            | work.WorkImported()
            | work.WorkChanged()
            | work.WorkWithheld()
            | work.ToolFilesTouched()
            | work.WorkLanded()
            | work.WorkKept()
            | work.CommitsKept()
            | work.WorkDropped()
            | work.WorkRestored()
            | work.LandingUndone()
            | publishing.BranchPushed()
            | publishing.PullRequestOpened()
            | publishing.PullRequestUpdated()
            | publishing.PullRequestFollowed()
            | publishing.FeedbackReceived()
        ):
            return work_lines.work_lines(event, state, options)
        case (
            verification.CheckAdded()
            | verification.DeliverableClaimed()
            | verification.ClaimRefused()
            | verification.CheckFinished()
            | verification.DeliverableGraded()
            | verification.SuiteGraded()
            | verification.RegressionFound()
            | verification.SuiteFinished()
            | verification.EvidenceTouched()
        ):
            return verification_lines.verification_lines(event, state.verified, options)
        case (
            focus.PhaseStarted()
            | focus.PlanWritten()
            | focus.CommandFinished()
            | focus.ReviewWritten()
            | focus.ReviewJudged()
            | focus.IssueSaved()
            | focus.BacklogSaved()
            | focus.CommitFailed()
        ):
            return focus_lines.focus_lines(event, options)
        case _:
            return _oversight_lines(event, recorded, state, options)


def _oversight_lines(
    event: oversight_lines.LimitEvent
    | oversight_lines.ApprovalEvent
    | queue.QueueEvent
    | queue_lines.FindingEvent
    | queue_lines.NoteEvent
    | AgentEvent,
    recorded: RecordedEvent,
    state: LogState,
    options: RenderOptions,
) -> list[Line]:
    at = recorded.at
    match event:
        case (
            oversight.LimitNeared()
            | oversight.BreakerOpened()
            | oversight.BreakerClosed()
            | oversight.HostAsked()
            | oversight.BillDiffered()
        ):
            return oversight_lines.limit_lines(event, at, options)
        case (
            oversight.ApprovalAsked()
            | oversight.ApprovalAnswered()
            | oversight.ApprovalLapsed()
            | oversight.ApprovalVoided()
        ):
            return oversight_lines.approval_lines(event, at, options)
        case audit.FindingSaved() | audit.FindingDropped():
            return queue_lines.finding_lines(event, options)
        case plan.NoteSubmitted() | plan.NoteApplied():
            return queue_lines.note_lines(event, options)
        case (
            queue.ItemStarted()
            | queue.ItemEnded()
            | queue.ItemRemoved()
            | queue.ItemKept()
            | queue.ItemSkipped()
            | queue.WaitStarted()
            | queue.WaitEnded()
        ):
            return queue_lines.queue_lines(event, at, options)
        case _:
            return _agent_lines(event, recorded, state, options)


def _agent_lines(
    event: AgentEvent,
    recorded: RecordedEvent,
    state: LogState,
    options: RenderOptions,
) -> list[Line]:
    match event:
        case (
            agent.AgentStarted()
            | agent.AgentSpoke()
            | agent.AgentThought()
            | agent.MessageSkipped()
        ):
            return agent_lines.speech_lines(event, options)
        case agent.ToolCalled() | agent.ToolDecided() | agent.ToolFinished() | agent.ProcessEnded():
            return agent_lines.tool_lines(event, state, options)
        case agent.UsageReported() | agent.ApiRetried() | agent.QuotaReported():
            return agent_lines.service_lines(event, recorded.at, options)
        case _:
            assert_never(event)
