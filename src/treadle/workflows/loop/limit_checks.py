"""Decides when a limit ends a run, what the next session may use, and when to warn. Pure.

Limits nest: a session may use what is left of the run's money, a run what is left of the day's.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from treadle.domain.events.oversight import LimitNeared
from treadle.domain.limits import RunLimits, SessionLimits
from treadle.domain.session import ExecutionError, QuotaExceeded, SandboxError, UnguardedTool
from treadle.workflows.loop.next_action import (
    DecisionRules,
    StopRun,
    WaitForQuota,
    WaitForService,
)
from treadle.workflows.loop.run_progress import RunProgress, failure_message
from treadle.workflows.loop.stuck import hung, stuck

# Pauses for quota in a row.
MAX_WAITS = 50
# The share of a limit at which the run warns.
WARNING_SHARE = 0.8
# A session with nothing left could not start.
MIN_COST_USD = 0.01
MIN_SECONDS = 1.0


def must_stop(progress: RunProgress, rules: DecisionRules) -> StopRun | None:
    """The reason that ends a run of any workflow, whatever it has achieved."""
    if stop := _told_to_stop(progress):
        return stop
    match progress.last:
        case ExecutionError(message=message, error_class="authentication"):
            # A service that refuses a login by mistake accepts it the next time.
            is_first = progress.outage.refusals == 1
            return None if is_first else StopRun("authentication", message)
        case SandboxError(message=message):
            return StopRun("sandbox_error", message)
        case UnguardedTool(tool=tool):
            message = f"the agent used {tool} without asking, so nothing it did can be relied on"
            return StopRun("unguarded_tool", message)
        case QuotaExceeded(message=message, lasts=True):
            return StopRun("quota_exceeded", message)
        case QuotaExceeded(message=message) if not rules.wait_for_quota:
            return StopRun("quota_exceeded", message)
        case QuotaExceeded(message=message) if progress.waits >= MAX_WAITS:
            # Some refusals never end, and no run may wait for ever.
            return StopRun("quota_exceeded", f"{message} (after {progress.waits} pauses in a row)")
        case _:
            return None


def _told_to_stop(progress: RunProgress) -> StopRun | None:
    if progress.stopping:
        return StopRun(progress.stopping)
    return StopRun("plan_denied", progress.plan_denial) if progress.plan_denial else None


def limit_reached(progress: RunProgress, limits: RunLimits) -> StopRun | None:
    """The first limit that ends the run; a fatal error comes before the retries."""
    if stop := _used_up(progress, limits):
        return stop
    match progress.last:
        case ExecutionError(message=message, error_class="fatal"):
            return StopRun("error", message)
        case _ if progress.outage.waited_s >= limits.outage_hours * 3600:
            return StopRun("service_unavailable", _outage_message(progress, limits))
        case _ if progress.consecutive_errors > limits.max_retries:
            return StopRun("max_retries_exceeded", _retries_message(progress, limits))
        case _:
            return _no_progress(progress, limits)


def needed_wait(progress: RunProgress) -> WaitForQuota | WaitForService | None:
    """What a run waits for before its next session."""
    match progress.last:
        case QuotaExceeded(message=message, resets_at=resets_at):
            return WaitForQuota(resets_at, message)
        case ExecutionError() as failure if progress.outage.failures:
            return WaitForService(failure)
        case _:
            return None


def session_allowance(
    session: SessionLimits, run: RunLimits, progress: RunProgress
) -> SessionLimits:
    """The limits of the next session: its own, reduced to what the run and the day have left."""
    money_left = min(
        run.max_cost_usd - progress.cost_usd,
        run.day_cost_usd - today_usd(progress),
    )
    return SessionLimits(
        max_cost_usd=max(MIN_COST_USD, min(session.max_cost_usd, money_left)),
        max_turns=session.max_turns,
        wall_s=max(MIN_SECONDS, min(session.wall_s, run.max_minutes * 60 - progress.running_s)),
        first_byte_s=session.first_byte_s,
        idle_s=session.idle_s,
        tool_s=session.tool_s,
    )


def remaining_limits(limits: SessionLimits, *, cost_usd: float, seconds: float) -> SessionLimits:
    """What an interrupted session may still use after this cost and time."""
    return replace(
        limits,
        max_cost_usd=max(MIN_COST_USD, limits.max_cost_usd - cost_usd),
        wall_s=max(MIN_SECONDS, limits.wall_s - seconds),
    )


def limit_warnings(
    progress: RunProgress,
    limits: RunLimits,
    already_warned: Collection[str],
    own_names: Mapping[str, str],
) -> tuple[LimitNeared, ...]:
    """A warning for each limit that is nearly used up and has no warning yet, by the name that its
    setting has for this workflow."""
    usage = (
        (own_names.get(name, name), used, most) for name, used, most in _usage(progress, limits)
    )
    return tuple(
        LimitNeared(name, round(used, 2), most)
        for name, used, most in usage
        if name not in already_warned and WARNING_SHARE * most <= used < most
    )


def in_own_names(stop: StopRun, own_names: Mapping[str, str]) -> StopRun:
    """The same end, whose message names the settings as this workflow calls them."""
    message = stop.message
    for general, own in own_names.items():
        message = message.replace(f", {general})", f", {own})")
    return replace(stop, message=message)


def today_usd(progress: RunProgress) -> float:
    """The cost of all runs since midnight, as of the last observation and what came after it."""
    return progress.others_today_usd + max(0.0, progress.cost_usd - progress.before_today_usd)


def _usage(progress: RunProgress, limits: RunLimits) -> Iterator[tuple[str, float, float]]:
    """The setting of each limit, what is used of it, and its maximum."""
    yield "limits.max_cost_usd", progress.cost_usd, limits.max_cost_usd
    yield "limits.day_cost_usd", today_usd(progress), limits.day_cost_usd
    yield "limits.max_minutes", progress.running_s / 60, limits.max_minutes
    yield "limits.max_iterations", progress.rounds, limits.max_iterations


def _used_up(progress: RunProgress, limits: RunLimits) -> StopRun | None:
    if progress.cost_usd >= limits.max_cost_usd:
        message = f"the limit is ${limits.max_cost_usd:.2f} (--max-cost, limits.max_cost_usd)"
        return StopRun("budget_exceeded", message)
    if today_usd(progress) >= limits.day_cost_usd:
        message = f"the limit of all runs is ${limits.day_cost_usd:.2f} a day"
        return StopRun("budget_exceeded", f"{message} (limits.day_cost_usd)")
    if progress.running_s >= limits.max_minutes * 60:
        message = f"the limit is {limits.max_minutes:g} minutes (--max-minutes, limits.max_minutes)"
        return StopRun("time_exceeded", message)
    if progress.rounds >= limits.max_iterations:
        rounds = "1 round" if limits.max_iterations == 1 else f"{limits.max_iterations} rounds"
        message = f"the limit is {rounds} (--max-iterations, limits.max_iterations)"
        return StopRun("max_iterations", message)
    return None


def _no_progress(progress: RunProgress, limits: RunLimits) -> StopRun | None:
    if why := hung(progress.history, limits):
        return StopRun("hung", why)
    if why := stuck(progress.history, limits):
        return StopRun("stuck", why)
    return None


def _outage_message(progress: RunProgress, limits: RunLimits) -> str:
    failure = progress.outage.failure or "the model service does not answer"
    return f"{failure} (waited for {limits.outage_hours:g} h: limits.outage_hours)"


def _retries_message(progress: RunProgress, limits: RunLimits) -> str:
    maximum = "1 retry" if limits.max_retries == 1 else f"{limits.max_retries} retries"
    allowed = f"after {maximum} in a row (--max-retries, limits.max_retries)"
    return f"{failure_message(progress.last) or 'the last round failed'}, {allowed}"
