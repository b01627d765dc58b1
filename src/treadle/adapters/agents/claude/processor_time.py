"""How much the processes of a session have worked so far, as the system accounts for it."""

import os

from treadle.adapters.agents.claude.processes import PROC, marked_processes
from treadle.adapters.sandboxes.first_process import stat_fields

# Fields of /proc/<pid>/stat after the name: own time in programs and in the system, and that of
# children that have ended.
_TIMES = slice(11, 15)


def processor_s(session: str) -> float | None:
    """Processor seconds of all living processes of a session; None where there is no /proc."""
    if not PROC.is_dir():
        return None
    ticks = 0
    for process in marked_processes(session):
        ticks += sum(int(field) for field in stat_fields(PROC / str(process.pid))[_TIMES])
    return ticks / os.sysconf("SC_CLK_TCK")
