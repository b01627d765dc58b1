"""A task is planned, asked about, built until everything holds, and reviewed."""

from typing import Any

import pytest

from treadle.domain.deliverable import Tally
from treadle.domain.limits import RunLimits
from treadle.domain.session import BudgetExceeded, Completed
from treadle.workflows.loop.next_action import (
    AskAboutPlan,
    AskAboutTests,
    DecisionRules,
    NextAction,
    Reverify,
    RunSession,
    StopRun,
)
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.task.next_action import TaskState, decide_next

LIMITS = RunLimits(max_cost_usd=5, max_minutes=10, max_iterations=40, max_retries=3)
RULES = DecisionRules(LIMITS, wait_for_quota=False, fix_rounds=3)
PLANNED = TaskState(plan="# Plan")
APPROVED: dict[str, Any] = {"plan_gate": "passed", "rounds": 1}
PENDING: dict[str, Any] = {**APPROVED, "tally": Tally(passed=1, total=2)}
PASSED: dict[str, Any] = {**APPROVED, "tally": Tally(passed=2, total=2), "provable": True}


@pytest.mark.parametrize(
    ("progress", "state", "action"),
    [
        (RunProgress(plan_gate="open"), TaskState(), RunSession("planning")),
        (
            RunProgress(plan_gate="open", last=BudgetExceeded(1.0)),
            TaskState(),
            StopRun(
                "budget_exceeded",
                "planning has cost what it may (planning.max_planning_cost_usd)",
            ),
        ),
        (RunProgress(plan_gate="open", rounds=1), PLANNED, AskAboutPlan()),
        (
            RunProgress(plan_gate="open", plan_denial="ada denied the plan"),
            PLANNED,
            StopRun("plan_denied", "ada denied the plan"),
        ),
        (RunProgress(**PENDING), PLANNED, RunSession("coding")),
        (
            RunProgress(**PENDING, findings="a check fails", check_failures=3),
            PLANNED,
            RunSession("coding", "continued"),
        ),
        (
            RunProgress(**PENDING, findings="a check fails", check_failures=4),
            PLANNED,
            StopRun(
                "unproven", "a check still fails after all attempts (execution.max_retries = 3)"
            ),
        ),
        (RunProgress(**PENDING, gate_failures=4), PLANNED, AskAboutTests()),
        (RunProgress(**PASSED), PLANNED, Reverify()),
        (RunProgress(**PASSED, verified=True), PLANNED, RunSession("review")),
        (
            RunProgress(**PASSED, verified=True, shortfall="only claimed"),
            PLANNED,
            RunSession("review"),
        ),
        (
            RunProgress(**PASSED, verified=True, findings="make it friendly"),
            TaskState(plan="# Plan", reviews=1, changes_requested=True),
            RunSession("coding", "continued"),
        ),
        (
            RunProgress(**PASSED),
            TaskState(plan="# Plan", feedback="CI is red", changes_requested=True),
            RunSession("feedback"),
        ),
        (
            RunProgress(**PASSED, cost_usd=5.0),
            TaskState(plan="# Plan", feedback="CI is red", changes_requested=True),
            StopRun("budget_exceeded", "the limit is $5.00 (--max-cost, limits.max_cost_usd)"),
        ),
        (
            RunProgress(**PASSED, findings="a test is red", gate_failures=1, worked_since=False),
            TaskState(plan="# Plan", feedback="CI is red"),
            RunSession("feedback", "continued"),
        ),
        (
            RunProgress(**PASSED, verified=True),
            TaskState(plan="# Plan", feedback="CI is red"),
            StopRun("approved"),
        ),
        (
            RunProgress(**PASSED, verified=True, shortfall="only claimed"),
            TaskState(plan="# Plan", feedback="CI is red"),
            StopRun("unproven", "only claimed"),
        ),
        (
            RunProgress(**PASSED, verified=True, last=Completed("done")),
            TaskState(plan="# Plan", reviews=1, stop=StopRun("approved", "fine")),
            StopRun("approved", "fine"),
        ),
        (
            RunProgress(**APPROVED, tally=Tally(blocked=2, total=2)),
            PLANNED,
            StopRun("all_blocked"),
        ),
    ],
)
def test_what_a_task_does_next(progress: RunProgress, state: TaskState, action: NextAction) -> None:
    assert decide_next(progress, state, RULES) == action
