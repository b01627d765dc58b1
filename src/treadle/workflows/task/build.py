"""Builds the loop of a `task` run from the parts of the run."""

from dataclasses import dataclass, field, replace
from typing import assert_never

from treadle.domain.limits import SessionLimits
from treadle.domain.run import LandingChoice
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.build import make_verifier, open_board
from treadle.workflows.deliver.deliver_work import DeliverWork
from treadle.workflows.focus.review_rules import ReviewRules
from treadle.workflows.focus.review_steps import ReviewSteps
from treadle.workflows.focus.tools import review_tool
from treadle.workflows.loop.answers import with_edits
from treadle.workflows.loop.feedback import feedback_prompt
from treadle.workflows.loop.following import (
    FeedbackTaken,
    FollowingEnded,
    FollowOutcome,
    NotFollowing,
)
from treadle.workflows.loop.next_action import StopRun
from treadle.workflows.loop.plan_question import PlanEdits, PlanGate
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_parts import RunParts
from treadle.workflows.loop.run_progress import RunProgress, with_spent
from treadle.workflows.loop.stuck import RoundFacts, criteria_of
from treadle.workflows.task.next_action import TaskState
from treadle.workflows.task.plan_tool import plan_tool
from treadle.workflows.task.prompt import TaskFacts
from treadle.workflows.task.task_log import TaskLog
from treadle.workflows.task.task_work import TaskWork


@dataclass(frozen=True, slots=True)
class TaskStart:
    """What a leg of the run starts with. Stored as a step result."""

    tip: str
    facts: RoundFacts
    state: TaskState
    plan_gate: PlanGate
    landing: LandingChoice = field(default_factory=LandingChoice)
    # What the next plan must have changed; the state has no plan then.
    edits: PlanEdits | None = None


async def build_task(parts: RunParts) -> RunLoop:
    log = parts.follower
    if not isinstance(log, TaskLog):
        raise AssertionError("a task run follows its log from the start")
    board = await open_board(parts)
    parts.warn_of_agent_settings()
    start = await _start_leg(parts, board, log)
    state = after_following(start.state, parts.followed)
    so_far = parts.request.so_far
    progress = RunProgress(
        history=(start.facts,),
        rounds=0 if so_far is None else so_far.rounds,
        plan_gate=start.plan_gate,
    )
    return parts.loop(
        _work(parts, board, log, state),
        progress=with_spent(with_edits(progress, start.edits), so_far),
        tip=start.tip,
        landing=start.landing,
        limits={"planning": _planning_limits(parts)},
    )


def after_following(state: TaskState, followed: FollowOutcome) -> TaskState:
    """The state of a leg that has followed the pull request: feedback to answer, or its end."""
    match followed:
        case FeedbackTaken(feedback=feedback):
            text = feedback_prompt(feedback.items)
            return replace(state, feedback=text, changes_requested=True)
        case FollowingEnded(reason=reason, message=message):
            return replace(state, stop=StopRun(reason, message))
        case NotFollowing():
            return state
        case _:
            assert_never(followed)


def _planning_limits(parts: RunParts) -> SessionLimits:
    limits = parts.sessions.limits
    most_usd = min(limits.max_cost_usd, parts.planning.max_cost_usd)
    return replace(limits, max_cost_usd=most_usd)


async def _start_leg(parts: RunParts, board: DeliverableBoard, log: TaskLog) -> TaskStart:
    async def start() -> TaskStart:
        tip = parts.workspace.start
        facts = RoundFacts(
            number=0,
            tree=(await parts.workspace.tree_change(tip, tip)).tree,
            tally=board.tally(),
            criteria=criteria_of(board.deliverables),
        )
        edits = parts.plan_edits()
        plan = _plan_to_start_with(parts, log) if edits is None else ""
        state = TaskState(plan=plan, reviews=len(log.history.reviews))
        return TaskStart(tip, facts, state, parts.plan_gate(), parts.landing, edits)

    return await parts.steps.step("begin", start, returns=TaskStart)


def _plan_to_start_with(parts: RunParts, log: TaskLog) -> str:
    approved = parts.approved_plan()
    return log.history.plan if approved is None else approved.text


def _work(parts: RunParts, board: DeliverableBoard, log: TaskLog, state: TaskState) -> TaskWork:
    options, checks = parts.options, parts.checks
    deliver = DeliverWork(
        board=board,
        verifier=make_verifier(parts, board),
        workspace=parts.workspace,
        briefs=parts.sessions.briefs,
        facts=parts.facts,
        spec_hash=parts.spec_hash,
        log=parts.leg_log,
    )
    review_steps = ReviewSteps(
        history=lambda: log.history,
        git=parts.git,
        runner=checks.runner,
        notes=parts.notes,
        rules=ReviewRules(options.review_bar, options.max_reviews),
        clock=parts.driver.clock,
        command_s=checks.check_s,
        log=parts.leg_log,
        is_allowed=checks.is_allowed,
    )
    return TaskWork(
        deliver=deliver,
        steps=parts.steps,
        state=state,
        log=log,
        review_steps=review_steps,
        briefs=parts.sessions.briefs,
        facts=TaskFacts(parts.request.inputs.get("words", ""), parts.facts, options.review_bar),
        plan_tool=lambda: plan_tool(
            lambda: log.history.draft, parts.log.record, parts.redact, checks.why_not_run
        ),
        review_tool=lambda: review_tool(lambda: log.history, parts.log.record, parts.redact),
    )
