"""The processes of a session's sandbox: what tools left there is told of, and all have to go."""

import asyncio
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path

from treadle.domain.agent import Leftover

PROC = Path("/proc")
GONE_S = 5.0
# A sandbox that was ended is gone within a millisecond or two; one that is not may take its time.
POLLS_S = (0.0005, 0.001, 0.001, 0.002, 0.002, 0.005)
SLOW_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class Process:
    """One line of the table of processes; `started` grows with time."""

    pid: int
    parent: int
    started: int


def orphans(table: list[Process], outer: int) -> list[int]:
    """The processes that lost their parent in the sandbox whose outermost process is `outer`.

    The sandbox's own first process adopts them. Its oldest child is the agent; whatever the agent
    still holds (its servers, say) ends with it and is no leftover.
    """
    first = [process for process in table if process.parent == outer]
    inside = {process.pid for process in first}
    adopted = sorted(
        (process for process in table if process.parent in inside),
        key=lambda process: (process.started, process.pid),
    )
    left = [process.pid for process in adopted[1:]]
    return sorted(left + _below(table, left))


def look_inside(outer: int) -> tuple[Leftover, ...]:
    """What is left in the sandbox around which `outer` is, as this machine shows it now."""
    return tuple(Leftover(pid, _command(PROC / str(pid))) for pid in orphans(_table(), outer))


@dataclass(frozen=True, slots=True)
class First:
    """The first process in a sandbox. The kernel lets it go after all others inside; `started`
    tells it from one that got its number later."""

    pid: int
    started: int


def first_inside(pid: int | None) -> First | None:
    """None if there is none any more: another process may have its number by now."""
    if pid is None or not (fields := _fields(PROC / str(pid))) or not _is_first(PROC / str(pid)):
        return None
    return First(pid, int(fields[19]))


async def is_gone(first: First | None, *, within_s: float) -> bool:
    """Wait until everything in the sandbox has ended; False if it does not."""
    if first is None:
        return True
    slow = int(within_s / SLOW_POLL_S)
    for pause in chain((0.0,), POLLS_S, repeat(SLOW_POLL_S, slow)):
        if pause:
            await asyncio.sleep(pause)
        fields = _fields(PROC / str(first.pid))
        if not fields or int(fields[19]) != first.started:
            return True
    return False


def _is_first(entry: Path) -> bool:
    """Whether the process is number one in a namespace of its own."""
    try:
        lines = (entry / "status").read_text().splitlines()
    except OSError:
        return False
    numbers = next((line.split()[1:] for line in lines if line.startswith("NSpid:")), [])
    return len(numbers) > 1 and numbers[-1] == "1"


def _below(table: list[Process], roots: list[int]) -> list[int]:
    found: list[int] = []
    level = set(roots)
    while level := {process.pid for process in table if process.parent in level}:
        found.extend(level)
    return found


def _table() -> list[Process]:
    found = []
    for entry in PROC.iterdir():
        if not entry.name.isdigit():
            continue
        if fields := _fields(entry):
            found.append(Process(int(entry.name), int(fields[1]), int(fields[19])))
    return found


def _fields(entry: Path) -> list[str]:
    """What the system tells of a process behind its name; nothing of one that has ended."""
    try:
        fields = (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
    # One that has ended, too, and that nobody has asked for its exit code yet.
    return [] if fields[0] == "Z" else fields


def _command(entry: Path) -> str:
    try:
        words = (entry / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return b" ".join(words).decode(errors="replace").strip()[:200]
