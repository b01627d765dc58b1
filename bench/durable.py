"""What it costs that runs survive: steps, queued runs, parked runs, and going on after kill -9."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure, Spread, ratios
from bench.model import MeasurementFailed
from bench.project import BenchProject, make_project

COUNTS = {"steps": 200, "queue": 60, "parked": 200}
RESUME_AIM_S = 3.0
SCRIPT = """\
version: 1
sessions:
  - turns:
      - tool: Write
        input: {file_path: "${workspace}/note.txt", content: "note\\n"}
      - tool: Bash
        input: {command: sleep 60}
        optional: true
      - text: The note is written.
        optional: true
"""


@dataclass(frozen=True, slots=True)
class Survival:
    """One round of measurements."""

    step_ms: float
    insert_ms: float
    queued_per_s: float
    looped_per_s: float
    engine_mb: float
    parked_mb: float
    resumed_s: float


def measure(directory: Path, times: int) -> list[Survival]:
    """Everything so many times, in turns."""
    return [_measure(directory / str(number)) for number in range(times)]


def figures(done: Sequence[Survival]) -> tuple[list[Figure], list[Figure]]:
    """What is aimed at, and the numbers behind."""
    aimed = [
        Figure(
            "kill -9, then `treadle resume`: start to the first new event",
            "s",
            Spread.of([each.resumed_s for each in done]),
            aim=RESUME_AIM_S,
        )
    ]
    steps, inserts = [each.step_ms for each in done], [each.insert_ms for each in done]
    queued, looped = [each.queued_per_s for each in done], [each.looped_per_s for each in done]
    plain = [
        Figure("a step / one durable row in SQLite, time", "x", ratios(steps, inserts)),
        Figure("a step", "ms", Spread.of(steps)),
        Figure("runs of 3 steps through the queue / in a loop, rate", "x", ratios(queued, looped)),
        Figure("runs of 3 steps through the queue", "/s", Spread.of(queued)),
        Figure(
            "200 parked runs, added", "MB", Spread.of([e.parked_mb - e.engine_mb for e in done])
        ),
        Figure("the process with 200 parked runs", "MB", Spread.of([e.parked_mb for e in done])),
    ]
    return aimed, plain


def _measure(directory: Path) -> Survival:
    told = {kind: _measured(directory / kind, kind) for kind in COUNTS}
    steps, queue, parked = told["steps"], told["queue"], told["parked"]
    return Survival(
        step_ms=steps["seconds"] / steps["count"] * 1000,
        insert_ms=steps["insert_seconds"] / steps["count"] * 1000,
        queued_per_s=queue["count"] / queue["seconds"],
        looped_per_s=queue["count"] / queue["loop_seconds"],
        engine_mb=parked["before_mb"],
        parked_mb=parked["after_mb"],
        resumed_s=_resumed_s(make_project(directory / "resume")),
    )


def _measured(directory: Path, kind: str) -> dict[str, float]:
    directory.mkdir(parents=True)
    location = f"sqlite:///{directory / 'engine.db'}"
    done = subprocess.run(
        [sys.executable, "-m", "bench.engine_runs", kind, location, str(COUNTS[kind])],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        raise MeasurementFailed(f"stories of kind {kind}: {done.stderr[-300:]}")
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _resumed_s(project: BenchProject) -> float:
    """Killed inside a tool; from the start of the next process to the first event it stores."""
    script = project.directory / "script.yaml"
    script.write_text(SCRIPT)
    arguments = ("rehearse", str(script), "--", "deliver", "--json")
    with _started(project, *arguments) as run:
        _read_until(run, "tool.finished")
        run.kill()
        run.wait()
    began = time.perf_counter()
    with _started(project, "resume", "--json") as resumed:
        _read_until(resumed, "run.recovered")
        took = time.perf_counter() - began
        # Twice: the second ends everything at once.
        for _ in range(2):
            os.kill(resumed.pid, signal.SIGTERM)
        resumed.wait()
    return took


def _started(project: BenchProject, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(Path(sys.executable).parent / "treadle"), *arguments],
        cwd=project.project,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _read_until(run: subprocess.Popen[str], event_type: str) -> None:
    assert run.stdout is not None
    for line in run.stdout:
        if json.loads(line)["event"]["type"] == event_type:
            return
    raise MeasurementFailed(f"the run ended before {event_type}")
