"""Makes the limits of a run and of its sessions from the settings."""

from pathlib import Path

from treadle.adapters.disk.disk_watch import DiskWatch
from treadle.domain.limits import RunLimits, SessionLimits
from treadle.domain.sandbox import DiskLimits
from treadle.settings.definitions import Settings
from treadle.settings.sandbox_definitions import SandboxSettings


def disk_watch(settings: SandboxSettings, root: Path, *, first_measure_s: float = 0.0) -> DiskWatch:
    """What looks at the disks while something runs."""
    limits = DiskLimits(settings.free_mb, settings.disk_mb)
    return DiskWatch(limits, root, first_measure_s)


def run_limits(settings: Settings) -> RunLimits:
    limits = settings.limits
    return RunLimits(
        max_cost_usd=limits.max_cost_usd,
        max_minutes=limits.max_minutes,
        max_iterations=limits.max_iterations,
        max_retries=limits.max_retries,
        day_cost_usd=limits.day_cost_usd,
        stuck_rounds=limits.stuck_rounds,
        stuck_repeats=limits.stuck_repeats,
        outage_hours=limits.outage_hours,
    )


def session_limits(settings: Settings) -> SessionLimits:
    session = settings.session
    return SessionLimits(
        max_cost_usd=session.max_cost_usd,
        max_turns=settings.agent.max_turns,
        wall_s=session.max_minutes * 60,
        first_byte_s=session.first_byte_s,
        idle_s=session.idle_s,
        tool_s=session.tool_minutes * 60,
    )
