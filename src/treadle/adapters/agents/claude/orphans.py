"""What a session's tools left running in its sandbox: it dies with the sandbox, but is told of."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.agent import Leftover

PROC = Path("/proc")
GONE_S = 5.0
POLL_S = 0.01


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


def inner(table: list[Process], outer: int) -> list[int]:
    """The first processes inside: when they are gone, everything in the sandbox is."""
    return [process.pid for process in table if process.parent == outer]


@dataclass(frozen=True, slots=True)
class Inside:
    """A sandbox at one moment: what has to be gone in the end, and what is told of."""

    first: tuple[int, ...] = ()
    left: tuple[Leftover, ...] = ()


def look_inside(outer: int) -> Inside:
    """The sandbox around which `outer` is, as this machine shows it now."""
    table = _table()
    left = tuple(Leftover(pid, _command(PROC / str(pid))) for pid in orphans(table, outer))
    return Inside(tuple(inner(table, outer)), left)


async def all_gone(inside: Inside) -> None:
    """Wait for a sandbox that was killed from outside: its processes die a moment later."""
    for _ in range(int(GONE_S / POLL_S)):
        if not any(_fields(PROC / str(pid)) for pid in inside.first):
            return
        await asyncio.sleep(POLL_S)


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
