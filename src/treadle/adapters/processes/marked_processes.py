"""Finds the processes of a session or a run by their mark, measures their CPU time, ends them."""

import asyncio
import os
import signal
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from treadle.adapters.processes.process_table import descendants_of, list_processes, still_running
from treadle.adapters.sandboxes.init_process import stat_fields
from treadle.adapters.sandboxes.process_exit import EXITING
from treadle.domain.agent import LeftoverProcess

# Marks every process of a session, and every command of a run, so that the ones they leave behind
# can be found.
SESSION_MARK = "TREADLE_SESSION"
PROC = Path("/proc")
SETTLE_S = 0.2
TERM_S = 2.0
POLL_S = 0.02
# Becoming another program takes a fraction of a millisecond; the rest is for a busy machine.
MAX_READS = 2000
MAX_EMPTY_READS = 5
# More than a program can be started with. It can make the kernel tell all of its memory instead.
MOST_BYTES = 8 << 20
MAX_COMMAND = 4096
# A flag of a process, as the kernel's headers have it for good.
KERNEL_THREAD = 0x200000

ListLiving = Callable[[], list[LeftoverProcess]]


def marked_processes(*sessions: str) -> list[LeftoverProcess]:
    """Every living process whose environment carries the mark of one of the sessions.

    The mark is inherited, so it finds daemons that left the process group and were adopted by
    init. Without /proc (macOS) it finds nothing; `tree_of` is then all there is.
    """
    marks = {f"{SESSION_MARK}={session}".encode() for session in sessions}
    found = []
    for name in os.listdir(PROC) if PROC.is_dir() else ():  # noqa: PTH208
        if not name.isdigit():
            continue
        with suppress(OSError):
            marked = not marks.isdisjoint(_read_environment(name).split(b"\0"))
            if marked and _is_alive(PROC / name):
                found.append(LeftoverProcess(int(name), _command(PROC / name)))
    return found


def _read_environment(name: str) -> bytes:
    """What the process was started with; one that is becoming another program is asked again.

    For a moment it has neither words nor environment, and whoever was just about to read the old
    one gets nothing. Only who has words each time and never an environment has none.
    """
    worded = 0
    for _ in range(MAX_READS):
        if environment := _read(name, "environ"):
            return environment
        worded = worded + 1 if _read(name, "cmdline") else 0
        if worded == MAX_EMPTY_READS or not _has_command_line(name):
            break
        os.sched_yield()
    return b""


def _has_command_line(name: str) -> bool:
    """As every process that lives, but those of the kernel."""
    fields = stat_fields(f"{PROC}/{name}")
    return bool(fields) and not int(fields[6]) & (KERNEL_THREAD | EXITING)


def _read(name: str, what: str) -> bytes:
    # Without a Path for each process: between two sessions every millisecond counts.
    with open(f"{PROC}/{name}/{what}", "rb") as told:  # noqa: PTH123
        return told.read(MOST_BYTES)


def tree_of(pid: int) -> list[LeftoverProcess]:
    """The processes below one, where marks cannot be read; to be asked while it still lives."""
    return [] if PROC.is_dir() else descendants_of(list_processes(), pid)


async def end_marked(
    session: str, *, known: Sequence[int] = (), tree: Sequence[LeftoverProcess] = ()
) -> list[LeftoverProcess]:
    """End what a finished session left behind and say what it was; `known` are not reported.

    `tree` is what was below the agent while it lived, for systems that have no /proc.
    """

    def living() -> list[LeftoverProcess]:
        return [
            *marked_processes(session),
            *(still_running(tree, list_processes()) if tree else ()),
        ]

    left = await _terminate(living, settle_s=SETTLE_S)
    return [process for process in left if process.pid not in known]


async def end_lost(sessions: Iterable[str]) -> list[LeftoverProcess]:
    """End what is left of sessions whose run was killed, and say what it was."""
    lost: Collection[str] = tuple(sessions)
    return await _terminate(lambda: marked_processes(*lost), settle_s=0.0) if lost else []


def kill_marked(session: str, *, pid: int | None = None) -> None:
    """SIGKILL without a second thought; `pid` is the agent's own, if it lives."""
    doomed = [process.pid for process in marked_processes(session)]
    if pid is not None:
        doomed += [process.pid for process in tree_of(pid)]
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    _signal(doomed, signal.SIGKILL)


async def _terminate(living: ListLiving, *, settle_s: float) -> list[LeftoverProcess]:
    if not living():
        return []
    # Servers that die with the agent need a moment to do so; they are not leftovers.
    await asyncio.sleep(settle_s)
    left = living()
    for number in (signal.SIGTERM, signal.SIGKILL):
        doomed = [process.pid for process in living()]
        _signal(doomed, number)
        if await _wait_until_gone(living, doomed):
            break
    return left


async def _wait_until_gone(living: ListLiving, doomed: Sequence[int]) -> bool:
    # A dying process loses its environment, and so its mark, a moment before it is gone.
    for _ in range(int(TERM_S / POLL_S)):
        if not living() and not any(_is_running(pid) for pid in doomed):
            return True
        await asyncio.sleep(POLL_S)
    return False


def _is_running(pid: int) -> bool:
    try:
        if PROC.is_dir():
            return _is_alive(PROC / str(pid))
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _is_alive(entry: Path) -> bool:
    # A zombie has already ended; its parent only has to notice.
    return bool(stat_fields(entry))


def _command(entry: Path) -> str:
    words = _read(entry.name, "cmdline")[:MAX_COMMAND].split(b"\0")
    return b" ".join(words).decode(errors="replace").strip()[:200]


# Fields of /proc/<pid>/stat after the name: its own time in programs and in the system, without
# that of children that have ended; and when it started.
_CPU_TIME_FIELDS = slice(11, 13)
_START_FIELD = 19


def processor_s(session: str) -> float | None:
    """Processor seconds of a session's agent, its first process; None where there is no /proc.

    What the agent has started does not count: a server in the background works on while the agent
    hangs.
    """
    if not PROC.is_dir():
        return None
    found = ((stat_fields(PROC / str(each.pid)), each.pid) for each in marked_processes(session))
    living = [(int(fields[_START_FIELD]), pid, fields) for fields, pid in found if fields]
    if not living:
        return 0.0
    _, _, agent = min(living)
    return sum(int(field) for field in agent[_CPU_TIME_FIELDS]) / os.sysconf("SC_CLK_TCK")
