"""Processes as `ps` lists them, for systems without /proc. Untested on macOS."""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treadle.domain.agent import Leftover

PS = ("/bin/ps", "-axo", "pid=,ppid=,command=")
PS_TIMEOUT_S = 5.0
MAX_COMMAND = 200


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the table."""

    pid: int
    parent: int
    command: str


def process_table() -> tuple[Listed, ...]:
    """Every process there is; none when `ps` does not say."""
    try:
        done = subprocess.run(
            PS,
            env={"LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PS_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return listed(done.stdout.decode(errors="replace"))


def listed(text: str) -> tuple[Listed, ...]:
    """The table in what `ps` printed; a line of another shape is passed over."""
    found = []
    for line in text.splitlines():
        pid, parent, command = [*line.split(maxsplit=2), "", "", ""][:3]
        if pid.isdecimal() and parent.isdecimal():
            found.append(Listed(int(pid), int(parent), command.strip()[:MAX_COMMAND]))
    return tuple(found)


def below(table: Iterable[Listed], root: int) -> list[Leftover]:
    """Every descendant of a process, parents before their children."""
    children: dict[int, list[Listed]] = {}
    for process in table:
        children.setdefault(process.parent, []).append(process)
    found: list[Leftover] = []
    waiting, seen = [root], {root}
    while waiting:
        for child in children.get(waiting.pop(0), ()):
            if child.pid not in seen:
                seen.add(child.pid)
                waiting.append(child.pid)
                found.append(Leftover(child.pid, child.command))
    return found


def remaining(tree: Sequence[Leftover], table: Iterable[Listed]) -> list[Leftover]:
    """Those of the tree that still run; a number that has gone to another program is not one."""
    running = {(process.pid, process.command) for process in table}
    return [process for process in tree if (process.pid, process.command) in running]
