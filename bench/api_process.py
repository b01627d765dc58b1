"""The scripted API in a process of its own, so that its work counts for neither side.

Run as `python -m bench.api_process SCRIPT`. It says where it listens and reads the id of the job's
first process. A session's first request waits, with the whole job, for a line that says how many
sessions it may play now; when they are played, that is told in a line. An empty line ends it, and
is answered with all that it has seen.
"""

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.paused_processes import PausedProcesses
from bench.project import REQUESTS
from treadle.rehearsal.http1 import HttpRequest
from treadle.rehearsal.response_steps import PauseStep, ResponseStep
from treadle.rehearsal.script import Script, load_script
from treadle.rehearsal.scripted_api import ScriptedApi

POLL_S = 0.001


class Turnstile:
    """Where a job waits at each session's first request; that is always the same moment of one."""

    def __init__(self) -> None:
        self.process_id = 0
        self.used: list[tuple[float, float]] = []
        self.released_s: list[float] = []
        self._left = 0
        self._let_through = threading.Event()
        self._still = PausedProcesses(0)

    def watch(self, process_id: int) -> None:
        self.process_id, self._still = process_id, PausedProcesses(process_id)

    def arrive(self) -> None:
        self.used.append(processor_time(self.process_id))
        self._left -= 1
        if self._left > 0:
            self.released_s.append(time.monotonic())
            return
        self._let_through.clear()
        self._still.stop()
        print("arrived", flush=True)

    def release(self, sessions: int) -> None:
        self._left = sessions
        self.released_s.append(time.monotonic())
        self._let_through.set()
        self._still.resume()

    def held(self, steps: Iterable[ResponseStep]) -> Iterator[ResponseStep]:
        while not self._let_through.is_set():
            yield PauseStep(POLL_S)
        yield from steps


class HoldingApi(ScriptedApi):
    def __init__(self, script: Script, turnstile: Turnstile) -> None:
        super().__init__(script)
        self._turnstile = turnstile

    def _respond_message(self, request: HttpRequest) -> Iterable[ResponseStep]:
        steps = super()._respond_message(request)
        if not self._turnstile.process_id or self.request_count % REQUESTS != 1:
            return steps  # without a job to measure nobody waits
        self._turnstile.arrive()
        return self._turnstile.held(steps)


async def main() -> None:
    turnstile = Turnstile()
    async with HoldingApi(load_script(Path(sys.argv[1])), turnstile) as api:
        print(api.base_url, flush=True)
        turnstile.watch(int(await asyncio.to_thread(sys.stdin.readline)))
        while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
            turnstile.release(int(line))
        seen = {
            "requests": [[request.session, request.arrived_s] for request in api.requests],
            "released": turnstile.released_s,
            "used": turnstile.used,
            "problems": api.problems(),
        }
        print(json.dumps(seen), flush=True)


def processor_time(process_id: int) -> tuple[float, float]:
    """Seconds of the process itself, and of all its descendants that have been waited for."""
    stat = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    own, own_in_kernel, theirs, theirs_in_kernel = (int(ticks) for ticks in stat[11:15])
    per_s = os.sysconf("SC_CLK_TCK")
    return (own + own_in_kernel) / per_s, (theirs + theirs_in_kernel) / per_s


if __name__ == "__main__":
    asyncio.run(main())
