"""What a `deliver` run does next, as one pure function; its limits are in `limits.py`."""

from dataclasses import dataclass

from treadle.domain.limits import RunLimits
from treadle.domain.session import ExecutionError, QuotaExceeded, SandboxError, UnguardedTool
from treadle.workflows.deliver.decisions import (
    AskAboutTests,
    ShowAgain,
    Step,
    Stop,
    WaitForQuota,
    Work,
)
from treadle.workflows.deliver.limits import MAX_WAITS, limit_reached
from treadle.workflows.deliver.progress import Progress

NOTHING_TO_DO = (
    "nothing to do: all had passed before; change the specification, or delete "
    ".treadle/status.json to start over"
)


@dataclass(frozen=True, slots=True)
class Rules:
    limits: RunLimits
    wait_for_quota: bool
    fix_rounds: int = 3


def next_step(progress: Progress, rules: Rules) -> Step:
    """The first of these that holds ends the run:

    interrupted or cancelled · authentication · sandbox_error · unguarded_tool · quota_exceeded
    (unless waiting) · all_passed · all_blocked · budget_exceeded · time_exceeded ·
    max_iterations · error · max_retries_exceeded · hung · stuck
    """
    if stop := told_to_stop(progress, rules):
        return stop
    if progress.given_up:
        return Stop("tests_failed", progress.given_up)
    if progress.gate_failures > rules.fix_rounds:
        return AskAboutTests()
    if not progress.plan_outdated and (decided := _all_decided(progress)):
        return decided
    if stop := limit_reached(progress, rules.limits):
        return stop
    if isinstance(progress.last, QuotaExceeded):
        return WaitForQuota(progress.last.resets_at, progress.last.message)
    planned = progress.tally.total and not progress.plan_outdated
    return Work("coding" if planned else "initializer")


def told_to_stop(progress: Progress, rules: Rules) -> Stop | None:
    """What ends a run of any workflow, whatever it has achieved."""
    if progress.stopping:
        return Stop(progress.stopping)
    match progress.last:
        case ExecutionError(message=message, error_class="authentication"):
            return Stop("authentication", message)
        case SandboxError(message=message):
            return Stop("sandbox_error", message)
        case UnguardedTool(tool=tool):
            told = f"the agent used {tool} without asking, so nothing it did can be relied on"
            return Stop("unguarded_tool", told)
        case QuotaExceeded(message=message) if not rules.wait_for_quota:
            return Stop("quota_exceeded", message)
        case QuotaExceeded(message=message) if progress.waits >= MAX_WAITS:
            # Not every refusal passes with time, and no run may wait for ever.
            return Stop("quota_exceeded", f"{message} (after {progress.waits} pauses in a row)")
        case _:
            return None


def _all_decided(progress: Progress) -> Stop | ShowAgain | None:
    tally = progress.tally
    if tally.all_achievable_passed and progress.provable and not progress.shown:
        # Tests that object are for a round to mend, and then they are asked again.
        mending = progress.gate_failures > 0 and not progress.worked_since
        return None if mending else ShowAgain()
    if tally.all_achievable_passed:
        # A session that met a quota limit is no round, but it may have done the work.
        worked = progress.rounds or progress.last is not None
        return Stop("all_passed", "" if worked else NOTHING_TO_DO)
    return Stop("all_blocked") if tally.all_blocked else None
