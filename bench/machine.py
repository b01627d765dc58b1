"""The machine that is measured on, and how much of it others used meanwhile."""

import os
import platform
import resource
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Moment:
    """Processor seconds since the machine started: all there were, all used, and used by us."""

    all_s: float
    used_s: float
    ours_s: float


def now() -> Moment:
    counts = [int(ticks) for ticks in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    idle, waiting_for_disk = counts[3], counts[4]
    per_s = os.sysconf("SC_CLK_TCK")
    return Moment(
        all_s=sum(counts) / per_s,
        used_s=(sum(counts) - idle - waiting_for_disk) / per_s,
        ours_s=_used(resource.RUSAGE_SELF) + _used(resource.RUSAGE_CHILDREN),
    )


def used_by_others(before: Moment, after: Moment) -> float:
    """The part of all processor time between two moments that went to others; 0 is a quiet one."""
    others_s = (after.used_s - before.used_s) - (after.ours_s - before.ours_s)
    return max(0.0, others_s / (after.all_s - before.all_s))


def described() -> str:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {python}"


def _used(whose: int) -> float:
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime
