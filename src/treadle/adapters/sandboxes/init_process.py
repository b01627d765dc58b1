"""Finds the first process of a sandbox and waits for its end, which ends all others inside."""

import asyncio
import os
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path

PROC = Path("/proc")
GONE_S = 5.0
NOT_GONE = "the sandbox was ended, but its processes are still running"
# A sandbox that was killed is usually gone within two milliseconds.
POLLS_S = (0.0005, 0.001, 0.001, 0.002, 0.002, 0.005)
SLOW_POLL_S = 0.01
# The state of a process that has ended and whose exit code nobody has read yet.
ZOMBIE = "Z"
# A stat file holds about fifty numbers and a short name.
_LONGEST_STAT = 4096


@dataclass(frozen=True, slots=True)
class InitProcess:
    """The first process in a sandbox, which the kernel removes after all others inside. `started`
    distinguishes it from a later process with the same id."""

    pid: int
    started: int


def find_init_process(pid: int | None) -> InitProcess | None:
    """None if it has ended, also if another process has its id by now."""
    if pid is None:
        return None
    entry = PROC / str(pid)
    fields = stat_fields(entry)
    return InitProcess(pid, int(fields[19])) if fields and _is_init(entry) else None


async def wait_until_gone(first: InitProcess | None, *, within_s: float) -> bool:
    """Wait until everything in the sandbox has ended; False if it does not."""
    if first is None:
        return True
    slow = int(within_s / SLOW_POLL_S)
    for pause in chain((0.0,), POLLS_S, repeat(SLOW_POLL_S, slow)):
        if pause:
            await asyncio.sleep(pause)
        if has_ended(first):
            return True
    return False


def has_ended(first: InitProcess) -> bool:
    """Whether the process, and so every other one in its sandbox, has ended."""
    fields = stat_fields(PROC / str(first.pid))
    return not fields or int(fields[19]) != first.started


def _is_init(entry: Path) -> bool:
    """Whether the process has the id 1 in a process namespace of its own."""
    try:
        lines = (entry / "status").read_text(errors="replace").splitlines()
    except OSError:
        return False
    numbers = next((line.split()[1:] for line in lines if line.startswith("NSpid:")), [])
    return len(numbers) > 1 and numbers[-1] == "1"


def stat_fields(entry: Path | str) -> list[str]:
    """The fields of a process's stat file after its name; empty if the process has ended."""
    fields = all_stat_fields(entry)
    return [] if fields[:1] == [ZOMBIE] else fields


def all_stat_fields(entry: Path | str) -> list[str]:
    """The same, also for a zombie: the other threads of its process may still run."""
    try:
        return read_stat(entry)
    except OSError:
        return []


def read_stat(entry: Path | str) -> list[str]:
    """The same for a process or a thread; raises OSError if the file cannot be read."""
    # This runs for every process and thread, and Path and file objects are slow.
    opened = os.open(f"{entry}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        line = os.read(opened, _LONGEST_STAT)
    finally:
        os.close(opened)
    # The name of a process may contain any bytes, also parentheses; only ASCII follows it.
    return line.rpartition(b")")[2].decode("ascii").split()
