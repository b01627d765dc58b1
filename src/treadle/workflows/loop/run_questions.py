"""Asks a person what a run cannot decide by itself. Questions are numbered within a leg."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from treadle.durable.port import Steps
from treadle.workflows.loop.approval_requests import ApprovalRequester, ask
from treadle.workflows.loop.failing_tests_question import (
    FailingTestsDecision,
    decide_failing_tests,
    tests_question,
)
from treadle.workflows.loop.plan_question import PlanDecision, decide_plan, plan_question
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.workflow_state import WorkflowState


@dataclass(frozen=True, slots=True)
class PlanDecisionApplied:
    """The run has applied a decision about its plan. Stored as a step result."""


@dataclass(slots=True)
class RunQuestions:
    """The questions of one leg."""

    steps: Steps
    requester: ApprovalRequester
    # How long a plan waits for an answer before it counts as approved; None: for ever.
    plan_patience: timedelta | None = None
    # What to know besides a plan.
    plan_remark: Callable[[str], str] = lambda plan: ""
    about_tests: int = 0
    about_plans: int = 0

    async def ask_about_tests(self, progress: RunProgress) -> FailingTestsDecision:
        self.about_tests += 1
        question = tests_question(progress.objections, rounds=progress.gate_failures)
        step = f"failing tests {self.about_tests}"
        outcome = await ask(self.steps, self.requester, question, step=step)
        return decide_failing_tests(outcome, progress.objections)

    async def ask_about_plan(self, work: WorkflowState) -> PlanDecision:
        self.about_plans += 1
        plan = work.proposed_plan()
        question = plan_question(plan, self.plan_patience, self.plan_remark(plan))
        step = f"plan {self.about_plans}"
        outcome = await ask(self.steps, self.requester, question, step=step)
        decision = decide_plan(outcome, question.subject)

        async def apply() -> PlanDecisionApplied:
            work.record_plan_decision(decision)
            return PlanDecisionApplied()

        await self.steps.step(f"apply {step}", apply, returns=PlanDecisionApplied)
        return decision
