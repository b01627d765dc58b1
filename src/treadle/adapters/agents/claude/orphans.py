"""What a session's tools left running in its sandbox: it dies with the sandbox, but is told of."""

import os
from dataclasses import dataclass
from pathlib import Path

from treadle.adapters.sandboxes.first_process import PROC, stat_fields
from treadle.adapters.sandboxes.last_moments import below
from treadle.domain.agent import Leftover


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


@dataclass(frozen=True, slots=True)
class Inside:
    """Who is in a sandbox, and which of them its tools have left there."""

    everybody: frozenset[int] = frozenset()
    left: tuple[Leftover, ...] = ()


def look_inside(outer: int) -> Inside:
    """The sandbox around which `outer` is, as this machine shows it now."""
    table = _table()
    left = (Leftover(pid, _command(PROC / str(pid))) for pid in orphans(table, outer))
    return Inside(frozenset(_below(table, [outer])), tuple(left))


def is_alone(agent: int) -> bool:
    """Whether an agent without a sandbox has no process below it that it would have to end; nobody
    knows without /proc, and then it has."""
    return PROC.is_dir() and not _below(_table(), [agent])


def _below(table: list[Process], roots: list[int]) -> list[int]:
    return sorted(below({process.pid: process.parent for process in table}, roots))


def _table() -> list[Process]:
    found = []
    # Without a Path for each process: between two sessions every millisecond counts.
    for name in os.listdir(PROC):  # noqa: PTH208
        if name.isdigit() and (fields := stat_fields(f"{PROC}/{name}")):
            found.append(Process(int(name), int(fields[1]), int(fields[19])))
    return found


def _command(entry: Path) -> str:
    try:
        words = (entry / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return b" ".join(words).decode(errors="replace").strip()[:200]
