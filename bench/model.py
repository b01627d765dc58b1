"""The scripted model as a job sees it, and what it saw of the job."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from select import select
from statistics import median

from bench.project import script

LOOK_S = 0.2


class MeasurementFailed(Exception):
    """A job did not do what it was to be measured at, so there is no number for it."""


@dataclass(frozen=True, slots=True)
class Started:
    """A session as the model saw it, and what the job had used when it made its first request."""

    requests_s: tuple[float, ...]  # on the monotonic clock
    released_s: float  # when the first of them was let through, and the job with it
    own_cpu_s: float
    descendants_cpu_s: float


@dataclass(frozen=True, slots=True)
class Seen:
    """A job's sessions in their order. Each figure is the middle one of all that are whole."""

    sessions: tuple[Started, ...]

    @property
    def first_s(self) -> float:
        return self.sessions[0].requests_s[0]

    @property
    def walls_s(self) -> list[float]:
        """From a session's first request to the next one's: all of one session, ends included."""
        return [b.requests_s[0] - a.released_s for a, b in pairwise(self.sessions)]

    @property
    def wall_s(self) -> float:
        return median(self.walls_s)

    @property
    def talking_s(self) -> float:
        return median(each.requests_s[-1] - each.released_s for each in self.sessions)

    @property
    def between_s(self) -> float:
        return median(b.requests_s[0] - a.requests_s[-1] for a, b in pairwise(self.sessions))

    @property
    def cpu_s(self) -> float:
        return self.own_cpu_s + self._per_session([s.descendants_cpu_s for s in self.sessions])

    @property
    def own_cpu_s(self) -> float:
        """The part of it that the process that was started first used itself."""
        return self._per_session([s.own_cpu_s for s in self.sessions])

    def _per_session(self, used: list[float]) -> float:
        # An average: the kernel counts in steps that are too coarse for a single session.
        return (used[-1] - used[0]) / (len(used) - 1)


class Model:
    """One job's scripted API, running."""

    def __init__(self, process: "subprocess.Popen[str]", script: Path) -> None:
        self._process = process
        self.script = script
        self.base_url = self._line()

    def watch(self, process_id: int) -> None:
        """Say which process the requests come from, before the first of them."""
        self._say(str(process_id))

    def turn_over(self, process_id: int) -> None:
        """Wait for the first request after a turn; it and its whole job stand still by then."""
        assert self._process.stdout is not None
        while not select([self._process.stdout], [], [], LOOK_S)[0]:
            if os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                raise MeasurementFailed("a job ended before its last session")
        self._line()

    def let_through(self, sessions: int) -> None:
        self._say(str(sessions))

    def seen(self) -> Seen:
        """Everything that was asked for; raises unless it was the script, all of it."""
        self._say("")
        answer = json.loads(self._line())
        if answer["problems"]:
            raise MeasurementFailed(answer["problems"][0])
        arrivals: dict[str, list[float]] = {}
        for session, arrived_s in answer["requests"]:
            arrivals.setdefault(session, []).append(arrived_s)
        each = zip(arrivals.values(), answer["released"], answer["used"], strict=True)
        return Seen(tuple(Started(tuple(times), go, own, rest) for times, go, (own, rest) in each))

    def _say(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise MeasurementFailed("the scripted API ended before its time")
        return line


@contextmanager
def scripted_model(sessions: int, directory: Path) -> Iterator[Model]:
    """A model that plays so many sessions."""
    path = directory / "script.yaml"
    path.write_text(script(sessions))
    with subprocess.Popen(
        [sys.executable, "-m", "bench.api_process", path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Model(process, path)
        finally:
            process.kill()
