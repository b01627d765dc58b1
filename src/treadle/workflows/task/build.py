"""Builds the loop of a `task` run from the parts of the run."""

from dataclasses import dataclass, field, replace

from treadle.domain.limits import SessionLimits
from treadle.domain.run import LandingChoice
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.build import make_verifier, open_board
from treadle.workflows.deliver.deliver_work import DeliverWork
from treadle.workflows.focus.review_rules import ReviewRules
from treadle.workflows.focus.review_steps import ReviewSteps
from treadle.workflows.focus.tools import review_tool
from treadle.workflows.loop.plan_question import PlanGate
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


async def build_task(parts: RunParts) -> RunLoop:
    log = parts.follower
    if not isinstance(log, TaskLog):
        raise AssertionError("a task run follows its log from the start")
    board = await open_board(parts)
    parts.warn_of_agent_settings()
    start = await _start_leg(parts, board, log)
    so_far = parts.request.so_far
    progress = RunProgress(
        history=(start.facts,),
        rounds=0 if so_far is None else so_far.rounds,
        plan_gate=start.plan_gate,
    )
    return parts.loop(
        _work(parts, board, log, start.state),
        progress=with_spent(progress, so_far),
        tip=start.tip,
        landing=start.landing,
        limits={"planning": _planning_limits(parts)},
    )


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
        approved = parts.approved_plan()
        plan = log.history.plan if approved is None else approved.text
        state = TaskState(plan=plan, reviews=len(log.history.reviews))
        return TaskStart(tip, facts, state, parts.plan_gate(), parts.landing)

    return await parts.steps.step("begin", start, returns=TaskStart)


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
