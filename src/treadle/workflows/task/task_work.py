"""The state of a `task` run behind the loop: a plan, its criteria, and their reviews."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from treadle.domain.agent import SessionBrief, Tool
from treadle.domain.check import Check, CheckOrigin
from treadle.domain.deliverable import Deliverable
from treadle.domain.limits import SessionLimits
from treadle.domain.session import Completed, SessionResult, was_kept_from_working
from treadle.domain.task_plan import TaskPlan
from treadle.durable.port import Steps
from treadle.workflows.deliver.deliver_work import DeliverWork
from treadle.workflows.focus.phases import PhaseState, ReviewVerdict
from treadle.workflows.focus.prompt import ReviewScope
from treadle.workflows.focus.review_steps import ReviewSteps
from treadle.workflows.focus.working_files import judged_text
from treadle.workflows.loop.answers import after_plan_decision
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.next_action import DecisionRules, NextAction, StopRun
from treadle.workflows.loop.plan_question import PlanApproved, PlanDecision, PlanEdits
from treadle.workflows.loop.prompt_fences import in_fence
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.session_briefs import SessionBriefs
from treadle.workflows.loop.workflow_state import RoundImport, RoundRef, WorkSummary
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workflows.task.next_action import TaskState, decide_next
from treadle.workflows.task.prompt import (
    TaskFacts,
    coding_prompt,
    planning_prompt,
    review_prompt,
)
from treadle.workflows.task.task_log import TaskLog

# Instructions whose sessions change files.
BUILDING = ("coding", "feedback")


@dataclass(frozen=True, slots=True)
class PlanningVerdict:
    """What a planning session left. Stored as a step result."""

    # The plan that it handed over and stands by.
    plan: str = ""
    # What a person has to settle before the task can be planned.
    issue: str = ""


@dataclass(slots=True)
class TaskWork:
    """The `WorkflowState` of `task`: its criteria are verified as deliverables are."""

    deliver: DeliverWork
    steps: Steps
    state: TaskState
    log: TaskLog
    review_steps: ReviewSteps
    briefs: SessionBriefs
    facts: TaskFacts
    plan_tool: Callable[[], Tool]
    review_tool: Callable[[], Tool]
    # What the next reviewer must review.
    scope: ReviewScope = field(default_factory=ReviewScope)

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        return decide_next(progress, self.state, rules)

    def brief(self, instruction: str, limits: SessionLimits) -> SessionBrief:
        text = self.briefs.text_of(instruction)
        tools: tuple[Tool, ...]
        match instruction:
            case "planning":
                prompt, tools = planning_prompt(text, self.facts), (self.plan_tool(),)
            case "review":
                history = self.log.history
                prompt = review_prompt(text, self.facts, self.state.plan, history, self.scope)
                tools = (self.review_tool(),)
            case _:
                criteria = self.deliver.board.deliverables
                prompt = coding_prompt(text, self.facts, self.state, criteria)
                tools = self._criteria_tools()
        return self.briefs.write(instruction, limits, prompt, tools)

    def _criteria_tools(self) -> tuple[Tool, ...]:
        """Without the one that creates them: the plan has the criteria."""
        tools = self.deliver.board.tools()
        return tuple(tool for tool in tools if tool.name != "create_deliverable")

    def proposed_plan(self) -> str:
        return self.state.plan

    def record_plan_decision(self, decision: PlanDecision) -> None:
        """An approved plan becomes the criteria of the run, with checks of whoever approved it."""
        if isinstance(decision, PlanApproved):
            author: CheckOrigin = "person" if decision.by else "agent"
            plan = self.log.plan_of(self.state.plan)
            self.deliver.board.create(planned_deliverables(plan, author))
            self.deliver.board.add_unmatched_checks()

    def after_plan_decision(self, progress: RunProgress, decision: PlanDecision) -> RunProgress:
        if isinstance(decision, PlanEdits):
            self.state = replace(self.state, plan="")
        return after_plan_decision(progress, decision)

    def begin_round(self) -> None:
        self.deliver.begin_round()

    def summarize(self) -> WorkSummary:
        return self.deliver.summarize()

    def needs_verification(self) -> bool:
        return self.deliver.needs_verification()

    async def import_session(self, ref: RoundRef, before: str) -> ImportedTip:
        """Only an implementer changes files."""
        if ref.instruction not in BUILDING:
            return ImportedTip(before)
        return await self.deliver.import_session(ref, before)

    async def after_import(
        self, ref: RoundRef, progress: RunProgress, result: SessionResult, imported: RoundImport
    ) -> RunProgress:
        if was_kept_from_working(result.outcome):
            return progress
        number, tip = ref.index + 1, imported.home.tip
        match ref.instruction:
            case "planning":
                await self._after_planning(number, result)
                return progress
            case "review":
                return await self._after_review(number, tip, progress, result)
            case _:
                if isinstance(result.outcome, Completed):
                    self.state = replace(self.state, changes_requested=False)
                # No step, because the diff of two commits never changes.
                self.scope = await self.review_steps.scope(self.state.reviews + 1, tip)
                return progress

    async def _after_planning(self, number: int, result: SessionResult) -> None:
        async def read() -> PlanningVerdict:
            accepted = self.log.history.verdict
            if accepted is None or not isinstance(result.outcome, Completed):
                return PlanningVerdict()
            if accepted.signal.kind == "spec_issue":
                return PlanningVerdict(issue=accepted.signal.text.strip())
            return PlanningVerdict(self.log.history.draft)

        verdict = await self.steps.step(f"plan of {number}", read, returns=PlanningVerdict)
        if verdict.issue:
            stop = StopRun("spec_issue", f"the task needs a person: {verdict.issue}")
            self.state = replace(self.state, stop=stop)
        else:
            self.state = replace(self.state, plan=verdict.plan)

    async def _after_review(
        self, number: int, tip: str, progress: RunProgress, result: SessionResult
    ) -> RunProgress:
        if not isinstance(result.outcome, Completed):
            return progress
        phase = PhaseState(number=self.state.reviews + 1, reviews=self.state.reviews)
        act = partial(self.review_steps.review, number, phase, tip)
        verdict = await self.steps.step(f"review {number}", act, returns=ReviewVerdict)
        self.state = after_review(self.state, verdict, progress.shortfall)
        progress = replace(progress, running_s=progress.running_s + verdict.took_s)
        if not self.state.changes_requested:
            return progress
        # Found by its number, because a replay sees the later reviews as well.
        reviews = [each for each in self.log.history.reviews if each.number == phase.number]
        return replace(progress, findings=changes_prompt(judged_text(reviews[-1])))

    async def verify(
        self, before: str, tip: str, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        return await self.deliver.verify(before, tip, accepted)

    async def reverify(
        self, commits: RoundCommits, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        return await self.deliver.reverify(commits, accepted)


def after_review(state: TaskState, verdict: ReviewVerdict, shortfall: str) -> TaskState:
    """The state after a review; `shortfall`: why the work has not the required grade."""
    if verdict.outcome == "cut":
        return state
    state = replace(state, reviews=state.reviews + 1)
    match verdict.outcome:
        case "approved" | "unproven":
            approved = StopRun("approved", verdict.reason)
            return replace(state, stop=StopRun("unproven", shortfall) if shortfall else approved)
        case "changes" | "tests_failed":
            return replace(state, changes_requested=True)
        case "given_up":
            return replace(state, stop=StopRun("max_iterations", verdict.reason))


def changes_prompt(review: str) -> str:
    """What the implementer is told of a review that asks for changes."""
    heading = "## What the review asks for\n\nMend this, test it and commit it:"
    return f"\n{heading}\n\n{in_fence(review)}\n"


def planned_deliverables(plan: TaskPlan, author: CheckOrigin) -> tuple[Deliverable, ...]:
    """The criteria of a plan as units that pass one by one."""
    return tuple(
        Deliverable(
            id=f"C{number}",
            description=criterion.text,
            acceptance_criteria=(criterion.text,),
            checks=(Check(criterion.text, criterion.check, author),) if criterion.check else (),
        )
        for number, criterion in enumerate(plan.criteria, start=1)
    )
