"""Lists processes with `ps`, for systems without /proc. Untested on macOS."""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treadle.domain.agent import LeftoverProcess

PS = ("/bin/ps", "-axo", "pid=,ppid=,command=")
PS_TIMEOUT_S = 5.0
MAX_COMMAND = 200


@dataclass(frozen=True, slots=True)
class PsRow:
    """One line of the table."""

    pid: int
    parent: int
    command: str


def list_processes() -> tuple[PsRow, ...]:
    """Every process there is; none when `ps` does not say."""
    try:
        done = subprocess.run(
            PS,
            env={"LC_ALL": "C"},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PS_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return parse_ps(done.stdout.decode(errors="replace"))


def parse_ps(text: str) -> tuple[PsRow, ...]:
    """The table in what `ps` printed; a line of another shape is passed over."""
    found = []
    for line in text.splitlines():
        pid, parent, command = [*line.split(maxsplit=2), "", "", ""][:3]
        if pid.isdecimal() and parent.isdecimal():
            found.append(PsRow(int(pid), int(parent), command.strip()[:MAX_COMMAND]))
    return tuple(found)


def descendants_of(table: Iterable[PsRow], root: int) -> list[LeftoverProcess]:
    """Every descendant of a process, parents before their children."""
    children: dict[int, list[PsRow]] = {}
    for process in table:
        children.setdefault(process.parent, []).append(process)
    found: list[LeftoverProcess] = []
    waiting, seen = [root], {root}
    while waiting:
        for child in children.get(waiting.pop(0), ()):
            if child.pid not in seen:
                seen.add(child.pid)
                waiting.append(child.pid)
                found.append(LeftoverProcess(child.pid, child.command))
    return found


def still_running(tree: Sequence[LeftoverProcess], table: Iterable[PsRow]) -> list[LeftoverProcess]:
    """Those of the tree that still run; a number that has gone to another program is not one."""
    running = {(process.pid, process.command) for process in table}
    return [process for process in tree if (process.pid, process.command) in running]
