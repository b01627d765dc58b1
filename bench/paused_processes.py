"""Makes a job stand still with all its processes while another one is measured."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROUNDS = 5  # so often what was started meanwhile is looked for


class PausedProcesses:
    """A job's processes, stopped: they use nothing, so the other side has the machine alone."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._stopped: set[int] = set()

    def stop(self) -> None:
        for _ in range(ROUNDS):
            fresh = {self._first, *_below(self._first)} - self._stopped
            if not fresh:
                return
            self._signal(fresh, signal.SIGSTOP)
            self._stopped |= fresh

    def resume(self) -> None:
        """From the innermost outwards, so that nobody finds an unmoving child."""
        self._signal(sorted(self._stopped, reverse=True), signal.SIGCONT)
        self._stopped.clear()

    def _signal(self, processes: "set[int] | list[int]", number: signal.Signals) -> None:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, number)


def _below(process: int) -> Iterator[int]:
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield int(child)
                yield from _below(int(child))
