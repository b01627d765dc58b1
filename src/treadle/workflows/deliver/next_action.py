"""What a `deliver` run does next, as one pure function."""

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

NOTHING_TO_DO = (
    "nothing to do: everything had passed before; change the specification, or delete "
    ".treadle/status.json to start over"
)

NOTHING_DONE = "everything was claimed as passed without a change, and no check confirms it"


def decide_next(progress: RunProgress, rules: DecisionRules) -> NextAction:
    """The first of these that holds ends the run:

    interrupted or cancelled · authentication · sandbox_error · unguarded_tool · quota_exceeded
    (unless waiting) · all_passed or unproven · all_blocked · budget_exceeded · time_exceeded ·
    max_iterations · error · max_retries_exceeded · hung · stuck
    """
    if stop := must_stop(progress, rules):
        return stop
    if progress.give_up_reason:
        return StopRun("tests_failed", progress.give_up_reason)
    if progress.gate_failures > rules.fix_rounds:
        return AskAboutTests()
    if not progress.plan_outdated and (action := when_all_done(progress)):
        return action
    if stop := limit_reached(progress, rules.limits):
        return stop
    planned = progress.tally.total and not progress.plan_outdated
    if planned and progress.plan_gate == "open":
        return AskAboutPlan()
    if wait := needed_wait(progress):
        return wait
    return RunSession("coding" if planned else "initializer")


def when_all_done(progress: RunProgress) -> StopRun | Reverify | None:
    """What follows once everything that can pass has passed; None while work is left."""
    tally = progress.tally
    if tally.all_achievable_passed and progress.provable and not progress.verified:
        # Failing tests need a repair round before the next verification.
        is_repairing = progress.gate_failures > 0 and not progress.worked_since
        return None if is_repairing else Reverify()
    if tally.all_achievable_passed:
        # A session that hit a quota limit is no round, but may have done the work.
        has_worked = progress.rounds or progress.last is not None
        # Work of an earlier run that was not proven enough is no better now.
        if not has_worked and not (progress.has_commits and progress.shortfall):
            return StopRun("all_passed", NOTHING_TO_DO)
        unproven = NOTHING_DONE if progress.only_words else progress.shortfall
        return StopRun("unproven", unproven) if unproven else StopRun("all_passed")
    return StopRun("all_blocked") if tally.all_blocked else None
