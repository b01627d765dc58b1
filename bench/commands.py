"""Commands that only look something up, against a Python that does nothing."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Figure, Spread, ratios
from bench.model import MeasurementFailed
from bench.project import BenchProject

TREADLE = Path(sys.executable).with_name("treadle")
NOTHING = (sys.executable, "-c", "pass")
VERSION = (str(TREADLE), "--version")
STATUS = (str(TREADLE), "status", "--json")


def measure(project: BenchProject, times: int) -> dict[Sequence[str], list[float]]:
    """Milliseconds of each, in turns, in a project that has had a run."""
    took: dict[Sequence[str], list[float]] = {NOTHING: [], VERSION: [], STATUS: []}
    for command in took:
        _took_ms(command, project)  # the first time fills caches
    for _ in range(times):
        for command, each in took.items():
            each.append(_took_ms(command, project))
    return took


def aimed_figures(took: dict[Sequence[str], list[float]]) -> list[Figure]:
    nothing = took[NOTHING]
    return [
        Figure("treadle --version / python -c pass", "x", ratios(took[VERSION], nothing), 3),
        Figure("treadle status --json / python -c pass", "x", ratios(took[STATUS], nothing), 8),
    ]


def plain_figures(took: dict[Sequence[str], list[float]]) -> list[Figure]:
    names = {"python -c pass": NOTHING, "treadle --version": VERSION, "treadle status": STATUS}
    return [Figure(name, "ms", Spread.of(took[command])) for name, command in names.items()]


def _took_ms(command: Sequence[str], project: BenchProject) -> float:
    started = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=project.project,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    took_ms = (time.perf_counter() - started) * 1000
    if done.returncode != 0:
        raise MeasurementFailed(f"{' '.join(command)} ended with {done.returncode}")
    return took_ms
