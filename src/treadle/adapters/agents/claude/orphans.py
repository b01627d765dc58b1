"""What a session's tools left running in its sandbox: it dies with the sandbox, but is told of."""

import os
from dataclasses import dataclass
from pathlib import Path

from treadle.adapters.agents.claude.processes import marked_processes
from treadle.adapters.sandboxes.first_process import PROC, stat_fields
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


def look_inside(outer: int) -> tuple[Leftover, ...]:
    """What is left in the sandbox around which `outer` is, as this machine shows it now."""
    return tuple(Leftover(pid, _command(PROC / str(pid))) for pid in orphans(_table(), outer))


def is_alone(agent: int, session: str) -> bool:
    """Whether an agent without a sandbox has no process besides itself; nobody knows without
    /proc, and then it has not."""
    if not PROC.is_dir() or _below(_table(), [agent]):
        return False
    return all(process.pid == agent for process in marked_processes(session))


def _below(table: list[Process], roots: list[int]) -> list[int]:
    found: list[int] = []
    level = set(roots)
    while level := {process.pid for process in table if process.parent in level}:
        found.extend(level)
    return found


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
