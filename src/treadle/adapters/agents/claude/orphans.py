"""Lists the processes of a session's sandbox and finds those that its tools left running."""

import os
from dataclasses import dataclass
from pathlib import Path

from treadle.adapters.sandboxes.init_process import PROC, stat_fields
from treadle.adapters.sandboxes.process_exit import descendants
from treadle.domain.agent import LeftoverProcess

# A program can make the kernel tell all of its memory as its command line.
MAX_COMMAND = 4096


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """One line of the table of processes; `started` grows with time."""

    pid: int
    parent: int
    started: int


def find_orphans(table: list[ProcessStat], outer: int) -> list[int]:
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
    return sorted(left + _descendants(table, left))


@dataclass(frozen=True, slots=True)
class SandboxProcesses:
    """Who is in a sandbox, and which of them its tools have left there."""

    pids: frozenset[int] = frozenset()
    leftovers: tuple[LeftoverProcess, ...] = ()


def list_sandbox_processes(outer: int) -> SandboxProcesses:
    """The sandbox around which `outer` is, as this machine shows it now."""
    table = _read_process_table()
    left = (LeftoverProcess(pid, _command(PROC / str(pid))) for pid in find_orphans(table, outer))
    return SandboxProcesses(frozenset(_descendants(table, [outer])), tuple(left))


def has_no_children(agent: int) -> bool:
    """Whether an agent without a sandbox has no process below it that it would have to end; nobody
    knows without /proc, and then it has."""
    return PROC.is_dir() and not _descendants(_read_process_table(), [agent])


def _descendants(table: list[ProcessStat], roots: list[int]) -> list[int]:
    return sorted(descendants({process.pid: process.parent for process in table}, roots))


def _read_process_table() -> list[ProcessStat]:
    found = []
    # Without a Path for each process: between two sessions every millisecond counts.
    for name in os.listdir(PROC):  # noqa: PTH208
        if name.isdigit() and (fields := stat_fields(f"{PROC}/{name}")):
            found.append(ProcessStat(int(name), int(fields[1]), int(fields[19])))
    return found


def _command(entry: Path) -> str:
    try:
        with (entry / "cmdline").open("rb") as told:
            words = told.read(MAX_COMMAND).split(b"\0")
    except OSError:
        return ""
    return b" ".join(words).decode(errors="replace").strip()[:200]
