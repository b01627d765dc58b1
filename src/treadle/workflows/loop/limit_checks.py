"""When a limit ends a run, what it leaves for the next session, and when to warn. Pure.

They nest: a session may use what is left of the run's money, a run what is left of the day's.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from treadle.domain.events.oversight import LimitNeared
from treadle.domain.limits import RunLimits, SessionLimits
from treadle.domain.session import ExecutionError, QuotaExceeded, SandboxError, UnguardedTool
from treadle.workflows.loop.next_action import DecisionRules, StopRun
from treadle.workflows.loop.run_progress import RunProgress, failure_message
from treadle.workflows.loop.stuck import hung, stuck

# Pauses for quota in a row; `next_step` asks before it looks at anything that was achieved.
MAX_WAITS = 50
# A warning comes when this share of a limit is used.
NEAR = 0.8
# What a session gets at the least: nothing at all would be no session.
LEAST_USD = 0.01
LEAST_S = 1.0


def must_stop(progress: RunProgress, rules: DecisionRules) -> StopRun | None:
    """What ends a run of any workflow, whatever it has achieved."""
    if progress.stopping:
        return StopRun(progress.stopping)
    match progress.last:
        case ExecutionError(message=message, error_class="authentication"):
            return StopRun("authentication", message)
        case SandboxError(message=message):
            return StopRun("sandbox_error", message)
        case UnguardedTool(tool=tool):
            told = f"the agent used {tool} without asking, so nothing it did can be relied on"
            return StopRun("unguarded_tool", told)
        case QuotaExceeded(message=message) if not rules.wait_for_quota:
            return StopRun("quota_exceeded", message)
        case QuotaExceeded(message=message) if progress.waits >= MAX_WAITS:
            # Not every refusal passes with time, and no run may wait for ever.
            return StopRun("quota_exceeded", f"{message} (after {progress.waits} pauses in a row)")
        case _:
            return None


def limit_reached(progress: RunProgress, limits: RunLimits) -> StopRun | None:
    """The first limit that ends the run; a fatal error does so before the retries are counted."""
    if stop := _spent(progress, limits):
        return stop
    match progress.last:
        case ExecutionError(message=message, error_class="fatal"):
            return StopRun("error", message)
        case _ if progress.consecutive_errors > limits.max_retries:
            return StopRun("max_retries_exceeded", _retries_message(progress, limits))
        case _:
            return _no_progress(progress, limits)


def session_allowance(
    session: SessionLimits, run: RunLimits, progress: RunProgress
) -> SessionLimits:
    """What the next session may use: its own limits, cut down to what the run and the day have
    left."""
    money_left = min(
        run.max_cost_usd - progress.cost_usd,
        run.day_cost_usd - today_usd(progress),
    )
    return SessionLimits(
        max_cost_usd=max(LEAST_USD, min(session.max_cost_usd, money_left)),
        max_turns=session.max_turns,
        wall_s=max(LEAST_S, min(session.wall_s, run.max_minutes * 60 - progress.running_s)),
        first_byte_s=session.first_byte_s,
        idle_s=session.idle_s,
        tool_s=session.tool_s,
    )


def remaining_limits(limits: SessionLimits, *, cost_usd: float, seconds: float) -> SessionLimits:
    """What a session may still use that had used so much before it was cut off."""
    return replace(
        limits,
        max_cost_usd=max(LEAST_USD, limits.max_cost_usd - cost_usd),
        wall_s=max(LEAST_S, limits.wall_s - seconds),
    )


def limit_warnings(
    progress: RunProgress, limits: RunLimits, already_said: Collection[str]
) -> tuple[LimitNeared, ...]:
    """A warning for each limit that is nearly used up and was not warned of before."""
    return tuple(
        LimitNeared(name, round(used, 2), most)
        for name, used, most in _used(progress, limits)
        if name not in already_said and NEAR * most <= used < most
    )


def today_usd(progress: RunProgress) -> float:
    """What all runs have cost today; a run that began yesterday counts as a whole, which errs on
    the safe side."""
    return progress.others_today_usd + progress.cost_usd


def _used(progress: RunProgress, limits: RunLimits) -> Iterator[tuple[str, float, float]]:
    """Each limit that fills up by the name of its setting, what is used of it, and all of it."""
    yield "limits.max_cost_usd", progress.cost_usd, limits.max_cost_usd
    yield "limits.day_cost_usd", today_usd(progress), limits.day_cost_usd
    yield "limits.max_minutes", progress.running_s / 60, limits.max_minutes
    yield "limits.max_iterations", progress.rounds, limits.max_iterations


def _spent(progress: RunProgress, limits: RunLimits) -> StopRun | None:
    if progress.cost_usd >= limits.max_cost_usd:
        may = f"the run may cost ${limits.max_cost_usd:.2f} (--max-cost, limits.max_cost_usd)"
        return StopRun("budget_exceeded", may)
    if today_usd(progress) >= limits.day_cost_usd:
        all_runs = f"all runs together may cost ${limits.day_cost_usd:.2f} a day"
        return StopRun("budget_exceeded", f"{all_runs} (limits.day_cost_usd)")
    if progress.running_s >= limits.max_minutes * 60:
        may = f"the run may take {limits.max_minutes:g} minutes (--max-minutes, limits.max_minutes)"
        return StopRun("time_exceeded", may)
    if progress.rounds >= limits.max_iterations:
        rounds = "1 round" if limits.max_iterations == 1 else f"{limits.max_iterations} rounds"
        may = f"the run may take {rounds} (--max-iterations, limits.max_iterations)"
        return StopRun("max_iterations", may)
    return None


def _no_progress(progress: RunProgress, limits: RunLimits) -> StopRun | None:
    if why := hung(progress.history, limits):
        return StopRun("hung", why)
    if why := stuck(progress.history, limits):
        return StopRun("stuck", why)
    return None


def _retries_message(progress: RunProgress, limits: RunLimits) -> str:
    most = "1 retry" if limits.max_retries == 1 else f"{limits.max_retries} retries"
    allowed = f"after {most} in a row (--max-retries, limits.max_retries)"
    return f"{failure_message(progress.last) or 'the last round failed'}, {allowed}"
