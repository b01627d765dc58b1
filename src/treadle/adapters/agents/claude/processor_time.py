"""How much the processes of a session have worked so far, as the system accounts for it."""

import os
from contextlib import suppress

from treadle.adapters.agents.claude.processes import PROC, marked_processes

# Fields of /proc/<pid>/stat after the name: own time in programs and in the system, and that of
# children that have ended.
_TIMES = slice(11, 15)


def processor_s(session: str) -> float | None:
    """Processor seconds of all living processes of a session; None where there is no /proc."""
    if not PROC.is_dir():
        return None
    ticks = 0
    for process in marked_processes(session):
        with suppress(OSError):
            told = (PROC / str(process.pid) / "stat").read_text(errors="replace")
            status = told.rpartition(")")[2].split()
            ticks += sum(int(field) for field in status[_TIMES])
    return ticks / os.sysconf("SC_CLK_TCK")
