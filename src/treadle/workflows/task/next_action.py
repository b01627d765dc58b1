"""What a `task` run does next, as one pure function."""

from dataclasses import dataclass

from treadle.domain.session import BudgetExceeded
from treadle.workflows.deliver.next_action import when_all_done
from treadle.workflows.loop.limit_checks import limit_reached, must_stop, needed_wait
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


@dataclass(frozen=True, slots=True)
class TaskState:
    """What the sessions of a task have brought so far."""

    # The plan that the run works on; empty before the first, and after a reply with edits.
    plan: str = ""
    reviews: int = 0
    # Whether the last review asks for changes that no session has worked on.
    changes_requested: bool = False
    # What CI and reviewers of the pull request say, for the sessions that answer it.
    feedback: str = ""
    # How the run ends, once that is decided.
    stop: StopRun | None = None


def decide_next(progress: RunProgress, state: TaskState, rules: DecisionRules) -> NextAction:
    """Plan, ask about the plan, build until everything holds, review. What CI and reviewers of the
    pull request say is built, too; then they are the ones who review.

    Ends as interrupted or cancelled, plan_denied, authentication, sandbox_error, unguarded_tool,
    quota_exceeded (unless waiting), approved, unproven, spec_issue, tests_failed, or by a limit.
    """
    if stop := must_stop(progress, rules):
        return stop
    if state.stop is not None:
        return state.stop
    if not state.plan:
        return _plan(progress, rules)
    if progress.plan_gate == "open":
        return AskAboutPlan()
    if progress.give_up_reason:
        return StopRun("tests_failed", progress.give_up_reason)
    if progress.gate_failures > rules.fix_rounds:
        return AskAboutTests()
    return _build(progress, state, rules)


def _plan(progress: RunProgress, rules: DecisionRules) -> NextAction:
    if isinstance(progress.last, BudgetExceeded):
        limit = "planning.max_planning_cost_usd"
        return StopRun("budget_exceeded", f"planning has cost what it may ({limit})")
    return _within_limits(RunSession("planning"), progress, rules)


def _build(progress: RunProgress, state: TaskState, rules: DecisionRules) -> NextAction:
    done = None if state.changes_requested else when_all_done(progress)
    if done is None:
        return _next_session(progress, state, rules)
    if isinstance(done, Reverify) or done.reason == "all_blocked":
        return done
    if not state.feedback:
        return _within_limits(RunSession("review"), progress, rules)
    return done if done.reason == "unproven" else StopRun("approved")


def _next_session(progress: RunProgress, state: TaskState, rules: DecisionRules) -> NextAction:
    if progress.check_failures > rules.fix_rounds:
        limit = f"execution.max_retries = {rules.fix_rounds}"
        return StopRun("unproven", f"a check still fails after all attempts ({limit})")
    # A repair needs what the implementer has found out.
    instruction = "feedback" if state.feedback else "coding"
    action = RunSession(instruction, "continued" if progress.findings else "new")
    return _within_limits(action, progress, rules)


def _within_limits(action: RunSession, progress: RunProgress, rules: DecisionRules) -> NextAction:
    return limit_reached(progress, rules.limits) or needed_wait(progress) or action
