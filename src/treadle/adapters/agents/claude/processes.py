"""The processes of one session: finding them by their mark, and ending them for certain."""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from treadle.adapters.agents.claude.command import SESSION_MARK
from treadle.domain.agent import Leftover

PROC = Path("/proc")
SETTLE_S = 0.2
TERM_S = 2.0
POLL_S = 0.02


def marked_processes(session: str) -> list[Leftover]:
    """Every living process whose environment carries the session's mark.

    The mark is inherited, so it finds daemons that left the process group and were adopted by
    init. Without /proc (macOS) it finds nothing; the process group is then all there is.
    """
    mark = f"{SESSION_MARK}={session}".encode()
    found = []
    for entry in PROC.iterdir() if PROC.is_dir() else ():
        if not entry.name.isdigit():
            continue
        with suppress(OSError):
            if mark in (entry / "environ").read_bytes().split(b"\0") and _alive(entry):
                found.append(Leftover(int(entry.name), _command(entry)))
    return found


async def end_marked(session: str, *, known: Sequence[int] = ()) -> list[Leftover]:
    """End what a finished session left behind and say what it was; `known` are not reported."""
    if not marked_processes(session):
        return []
    # Servers that die with the agent need a moment to do so; they are not leftovers.
    await asyncio.sleep(SETTLE_S)
    left = marked_processes(session)
    for number in (signal.SIGTERM, signal.SIGKILL):
        alive = marked_processes(session)
        for process in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, number)
        if await _gone(session):
            break
    return [process for process in left if process.pid not in known]


def kill_marked(session: str) -> None:
    """SIGKILL without a second thought."""
    for process in marked_processes(session):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, signal.SIGKILL)


async def _gone(session: str) -> bool:
    for _ in range(int(TERM_S / POLL_S)):
        if not marked_processes(session):
            return True
        await asyncio.sleep(POLL_S)
    return False


def _alive(entry: Path) -> bool:
    # A zombie has ended already; its parent only has to notice.
    status = (entry / "stat").read_text().rpartition(")")[2].split()
    return bool(status) and status[0] != "Z"


def _command(entry: Path) -> str:
    words = (entry / "cmdline").read_bytes().split(b"\0")
    return b" ".join(words).decode(errors="replace").strip()[:200]
