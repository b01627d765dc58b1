"""The processes of one session: finding them by their mark, and ending them for certain."""

import asyncio
import os
import signal
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from treadle.adapters.agents.claude.command import SESSION_MARK
from treadle.adapters.agents.claude.process_table import below, process_table, remaining
from treadle.adapters.sandboxes.first_process import stat_fields
from treadle.adapters.sandboxes.last_moments import EXITING
from treadle.domain.agent import Leftover

PROC = Path("/proc")
SETTLE_S = 0.2
TERM_S = 2.0
POLL_S = 0.02
# Becoming another program takes a fraction of a millisecond; the rest is for a busy machine.
ASKED_AGAIN = 2000
WORDED = 5
# A flag of a process, as the kernel's headers have it for good.
OF_THE_KERNEL = 0x200000

Living = Callable[[], list[Leftover]]


def marked_processes(*sessions: str) -> list[Leftover]:
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
            marked = not marks.isdisjoint(_environment(name).split(b"\0"))
            if marked and _alive(PROC / name):
                found.append(Leftover(int(name), _command(PROC / name)))
    return found


def _environment(name: str) -> bytes:
    """What the process was started with; one that is becoming another program is asked again.

    For a moment it has neither words nor environment, and whoever was just about to read the old
    one gets nothing. Only who has words each time and never an environment has none.
    """
    worded = 0
    for _ in range(ASKED_AGAIN):
        if environment := _read(name, "environ"):
            return environment
        worded = worded + 1 if _read(name, "cmdline") else 0
        if worded == WORDED or not _has_words(name):
            break
        os.sched_yield()
    return b""


def _has_words(name: str) -> bool:
    """As every process that lives, but those of the kernel."""
    fields = stat_fields(f"{PROC}/{name}")
    return bool(fields) and not int(fields[6]) & (OF_THE_KERNEL | EXITING)


def _read(name: str, what: str) -> bytes:
    # Without a Path for each process: between two sessions every millisecond counts.
    with open(f"{PROC}/{name}/{what}", "rb") as told:  # noqa: PTH123
        return told.read()


def tree_of(pid: int) -> list[Leftover]:
    """The processes below one, where marks cannot be read; to be asked while it still lives."""
    return [] if PROC.is_dir() else below(process_table(), pid)


async def end_marked(
    session: str, *, known: Sequence[int] = (), tree: Sequence[Leftover] = ()
) -> list[Leftover]:
    """End what a finished session left behind and say what it was; `known` are not reported.

    `tree` is what was below the agent while it lived, for systems that have no /proc.
    """

    def living() -> list[Leftover]:
        return [*marked_processes(session), *(remaining(tree, process_table()) if tree else ())]

    left = await _end(living, settle_s=SETTLE_S)
    return [process for process in left if process.pid not in known]


async def end_lost(sessions: Iterable[str]) -> list[Leftover]:
    """End what is left of sessions whose run was killed, and say what it was."""
    lost: Collection[str] = tuple(sessions)
    return await _end(lambda: marked_processes(*lost), settle_s=0.0) if lost else []


def kill_marked(session: str, *, pid: int | None = None) -> None:
    """SIGKILL without a second thought; `pid` is the agent's own, if it lives."""
    doomed = [process.pid for process in marked_processes(session)]
    if pid is not None:
        doomed += [process.pid for process in tree_of(pid)]
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    _signal(doomed, signal.SIGKILL)


async def _end(living: Living, *, settle_s: float) -> list[Leftover]:
    if not living():
        return []
    # Servers that die with the agent need a moment to do so; they are not leftovers.
    await asyncio.sleep(settle_s)
    left = living()
    for number in (signal.SIGTERM, signal.SIGKILL):
        doomed = [process.pid for process in living()]
        _signal(doomed, number)
        if await _gone(living, doomed):
            break
    return left


async def _gone(living: Living, doomed: Sequence[int]) -> bool:
    # A dying process loses its environment, and so its mark, a moment before it is gone.
    for _ in range(int(TERM_S / POLL_S)):
        if not living() and not any(_runs(pid) for pid in doomed):
            return True
        await asyncio.sleep(POLL_S)
    return False


def _runs(pid: int) -> bool:
    try:
        if PROC.is_dir():
            return _alive(PROC / str(pid))
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _alive(entry: Path) -> bool:
    # A zombie has ended already; its parent only has to notice.
    return bool(stat_fields(entry))


def _command(entry: Path) -> str:
    words = (entry / "cmdline").read_bytes().split(b"\0")
    return b" ".join(words).decode(errors="replace").strip()[:200]
