"""Finds the first process of a sandbox and waits for its end, which ends all others inside."""

import asyncio
import os
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path

PROC = Path("/proc")
GONE_S = 5.0
NOT_GONE = "the sandbox was ended, and its processes are still there"
# A sandbox that was ended is gone within a millisecond or two; one that is not may take its time.
POLLS_S = (0.0005, 0.001, 0.001, 0.002, 0.002, 0.005)
SLOW_POLL_S = 0.01
# How the system calls a process that is nothing but an exit code.
ZOMBIE = "Z"
# Some fifty numbers and a short name.
_LONGEST_STAT = 4096


@dataclass(frozen=True, slots=True)
class InitProcess:
    """The first process in a sandbox. The kernel lets it go after all others inside; `started`
    tells it from one that got its number later."""

    pid: int
    started: int


def find_init_process(pid: int | None) -> InitProcess | None:
    """None if there is none any more: another process may have its number by now."""
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
    """Whether it is gone, with everybody else in its sandbox."""
    fields = stat_fields(PROC / str(first.pid))
    return not fields or int(fields[19]) != first.started


def _is_init(entry: Path) -> bool:
    """Whether the process is number one in a namespace of its own."""
    try:
        lines = (entry / "status").read_text(errors="replace").splitlines()
    except OSError:
        return False
    numbers = next((line.split()[1:] for line in lines if line.startswith("NSpid:")), [])
    return len(numbers) > 1 and numbers[-1] == "1"


def stat_fields(entry: Path | str) -> list[str]:
    """What the system tells of a process behind its name; nothing of one that has ended."""
    fields = all_stat_fields(entry)
    # One that has ended, too, and that nobody has asked for its exit code yet.
    return [] if fields[:1] == [ZOMBIE] else fields


def all_stat_fields(entry: Path | str) -> list[str]:
    """The same also of one that has ended, or whose first thread has: it may have others."""
    try:
        return read_stat(entry)
    except OSError:
        return []


def read_stat(entry: Path | str) -> list[str]:
    """The same of a process or a thread; OSError if that cannot be read."""
    # Every process and thread is asked, so neither by a Path nor by a file object.
    opened = os.open(f"{entry}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        line = os.read(opened, _LONGEST_STAT)
    finally:
        os.close(opened)
    # The name of a process may be any bytes; all behind it are numbers.
    return line.rpartition(b")")[2].decode("ascii").split()
