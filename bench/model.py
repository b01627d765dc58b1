"""The scripted model as a job sees it, and what it saw of the job."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.stage import script


class MeasurementFailed(Exception):
    """A job did not do what it was to be measured at, so there is no number for it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """When requests arrived, by session in the order of their first; on the monotonic clock."""

    sessions: tuple[tuple[float, ...], ...]

    @property
    def first_s(self) -> float:
        return self.sessions[0][0]

    @property
    def per_session_s(self) -> float:
        """From a session's first request to the next one's, on average: starts and ends inside."""
        return (self.sessions[-1][0] - self.first_s) / (len(self.sessions) - 1)

    @property
    def talking_s(self) -> float:
        """The part of it from a session's first request to its last, on average."""
        return sum(times[-1] - times[0] for times in self.sessions) / len(self.sessions)


class Model:
    """One job's scripted API, running."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.base_url = self._line()

    def seen(self) -> Seen:
        """Everything that was asked for; raises unless it was the script, all of it."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        answer = json.loads(self._line())
        if answer["problems"]:
            raise MeasurementFailed(answer["problems"][0])
        arrivals: dict[str, list[float]] = {}
        for session, arrived_s in answer["requests"]:
            arrivals.setdefault(session, []).append(arrived_s)
        return Seen(tuple(map(tuple, arrivals.values())))

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
            yield Model(process)
        finally:
            process.kill()
