"""What a `focus` run does next, as one pure function."""

from treadle.domain.events.focus import Phase
from treadle.workflows.focus.phases import PhaseState
from treadle.workflows.loop.limit_checks import limit_reached, must_stop, needed_wait
from treadle.workflows.loop.next_action import (
    AskAboutPlan,
    DecisionRules,
    NextAction,
    RunSession,
    StopRun,
)
from treadle.workflows.loop.run_progress import RunProgress

INSTRUCTION_OF: dict[Phase, str] = {
    "planning": "planning",
    "implementing": "task",
    "reviewing": "review",
}


def decide_next(progress: RunProgress, state: PhaseState, rules: DecisionRules) -> NextAction:
    """The first of these that holds ends the run:

    interrupted or cancelled · authentication · sandbox_error · unguarded_tool · quota_exceeded
    (unless waiting) · approved or spec_issue · budget_exceeded · time_exceeded · max_iterations ·
    error · max_retries_exceeded · hung · stuck

    `max_iterations` bounds the rounds of the run, and the sessions of one round.
    """
    if stop := must_stop(progress, rules):
        return stop
    if state.stop is not None:
        return state.stop
    if stop := limit_reached(progress, rules.limits):
        return stop
    if state.sessions >= rules.limits.max_iterations:
        limit = f"one round may take {rules.limits.max_iterations} sessions"
        return StopRun("max_iterations", f"{limit} (--max-iterations, limits.max_iterations)")
    if state.phase != "planning" and progress.plan_gate == "open":
        return AskAboutPlan()
    if wait := needed_wait(progress):
        return wait
    return RunSession(INSTRUCTION_OF[state.phase])
