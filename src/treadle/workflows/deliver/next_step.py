"""What a `deliver` run does next. All its branching is here, as one pure function."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias, assert_never

from treadle.domain.deliverable import Tally
from treadle.domain.events.run import Instruction
from treadle.domain.limits import RunLimits
from treadle.domain.run import ExitReason
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    Crashed,
    ExecutionError,
    MaxTurns,
    Outcome,
    QuotaExceeded,
    SessionResult,
    TimedOut,
)
from treadle.domain.usage import Usage

MAX_WAITS = 50
NOTHING_TO_DO = (
    "nothing to do: all had passed before; change the specification, or delete "
    ".treadle/status.json to start over"
)


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known of a run between two rounds."""

    tally: Tally = field(default_factory=Tally)
    rounds: int = 0
    consecutive_errors: int = 0
    cost_usd: float = 0.0
    usage: Usage = field(default_factory=Usage)
    running_s: float = 0.0
    priced: bool = True
    interrupted: bool = False
    last: Outcome | None = None
    # The specification is another than the one the deliverables were written for.
    plan_outdated: bool = False
    # Pauses for quota since a session last got through.
    waits: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    instruction: Instruction


@dataclass(frozen=True, slots=True)
class WaitForQuota:
    resets_at: datetime | None
    message: str


@dataclass(frozen=True, slots=True)
class Stop:
    reason: ExitReason
    message: str = ""


Step: TypeAlias = Work | WaitForQuota | Stop


@dataclass(frozen=True, slots=True)
class Rules:
    limits: RunLimits
    wait_for_quota: bool


def next_step(progress: Progress, rules: Rules) -> Step:
    """The first of these that holds ends the run:

    interrupted · authentication · quota_exceeded (unless waiting) · all_passed · all_blocked ·
    budget_exceeded · time_exceeded · max_iterations · error · max_retries_exceeded
    """
    if stop := _told_to_stop(progress, rules):
        return stop
    if not progress.plan_outdated and (stop := _all_decided(progress)):
        return stop
    if stop := _limit_reached(progress, rules.limits):
        return stop
    if isinstance(progress.last, QuotaExceeded):
        return WaitForQuota(progress.last.resets_at, progress.last.message)
    planned = progress.tally.total and not progress.plan_outdated
    return Work("coding" if planned else "initializer")


def _told_to_stop(progress: Progress, rules: Rules) -> Stop | None:
    if progress.interrupted:
        return Stop("interrupted")
    match progress.last:
        case ExecutionError(message=message, error_class="authentication"):
            return Stop("authentication", message)
        case QuotaExceeded(message=message) if not rules.wait_for_quota:
            return Stop("quota_exceeded", message)
        case QuotaExceeded(message=message) if progress.waits >= MAX_WAITS:
            # Not every refusal passes with time, and no run may wait for ever.
            return Stop("quota_exceeded", f"{message} (after {progress.waits} pauses in a row)")
        case _:
            return None


def _all_decided(progress: Progress) -> Stop | None:
    tally = progress.tally
    if tally.all_achievable_passed:
        # A session that met a quota limit is no round, but it may have done the work.
        worked = progress.rounds or progress.last is not None
        return Stop("all_passed", "" if worked else NOTHING_TO_DO)
    return Stop("all_blocked") if tally.all_blocked else None


def _limit_reached(progress: Progress, limits: RunLimits) -> Stop | None:
    if progress.cost_usd >= limits.max_cost_usd:
        return Stop("budget_exceeded", f"the run may cost ${limits.max_cost_usd:.2f}")
    if progress.running_s >= limits.max_minutes * 60:
        return Stop("time_exceeded", f"the run may take {limits.max_minutes:g} minutes")
    if progress.rounds >= limits.max_iterations:
        return Stop("max_iterations", f"the run may take {limits.max_iterations} rounds")
    match progress.last:
        case ExecutionError(message=message, error_class="fatal"):
            return Stop("error", message)
        case _ if progress.consecutive_errors > limits.max_retries:
            return Stop("max_retries_exceeded", failure(progress.last) or "")
        case _:
            return None


def after_session(progress: Progress, result: SessionResult) -> Progress:
    """The progress with one session added. A quota limit is neither a round nor an error."""
    paid = replace(
        progress,
        cost_usd=progress.cost_usd + result.cost_usd,
        usage=progress.usage + result.usage,
        running_s=progress.running_s + result.duration_s,
        priced=progress.priced and result.priced,
        last=result.outcome,
    )
    if isinstance(result.outcome, QuotaExceeded):
        return paid
    paid = replace(paid, waits=0)
    if isinstance(result.outcome, Cancelled):
        return replace(paid, rounds=progress.rounds + 1)
    failed = failure(result.outcome) is not None
    return replace(
        paid,
        rounds=progress.rounds + 1,
        consecutive_errors=progress.consecutive_errors + 1 if failed else 0,
    )


def failure(outcome: Outcome | None) -> str | None:
    """What went wrong, for outcomes that count towards the retries; None for the others."""
    match outcome:
        case None | Completed() | MaxTurns() | BudgetExceeded() | QuotaExceeded() | Cancelled():
            return None
        case ExecutionError() | Crashed():
            return outcome.message
        case TimedOut():
            return f"the session was ended by its {outcome.limit} limit after {outcome.after_s:g} s"
        case _:
            assert_never(outcome)
