"""Looking at a long run, against looking at a short one."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bench.commands import TREADLE
from bench.figures import Figure, Spread, ratios
from bench.model import MeasurementFailed
from treadle.adapters.stores.event_store import open_store
from treadle.domain.events.agent import AgentSpoke, ToolCalled, ToolDecided, ToolFinished
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunStarted
from treadle.domain.ids import RunId, make_run_id
from treadle.domain.limits import RunLimits
from treadle.domain.storage import Storage

LONG, SHORT = 100_000, 1_000
BATCH = 50
LOOKS: dict[str, tuple[str, ...]] = {
    "treadle show": ("show",),
    "treadle logs --tail 20": ("logs", "--tail", "20"),
}


def measure(directory: Path, times: int) -> dict[str, dict[int, list[float]]]:
    """Milliseconds of each look at the long and at the short run, in turns."""
    runs = {size: _stored(directory, size) for size in (LONG, SHORT)}
    took: dict[str, dict[int, list[float]]] = {name: {LONG: [], SHORT: []} for name in LOOKS}
    for counted in range(times + 1):
        for name, arguments in LOOKS.items():
            for size, run in runs.items():
                spent_ms = _took_ms((*arguments, run), directory)
                if counted:  # the first time fills caches
                    took[name][size].append(spent_ms)
    return took


def aimed_figures(took: dict[str, dict[int, list[float]]]) -> list[Figure]:
    return [
        Figure(f"{name}, 100,000 events / 1,000", "x", ratios(each[LONG], each[SHORT]), 1.5)
        for name, each in took.items()
    ]


def plain_figures(took: dict[str, dict[int, list[float]]]) -> list[Figure]:
    return [
        Figure(f"{name}, 100,000 events", "ms", Spread.of(each[LONG]))
        for name, each in took.items()
    ]


def _stored(directory: Path, size: int) -> RunId:
    run = make_run_id(unix_ms=size, random_bits=size)
    with closing(open_store(Storage(directory / "root"))) as store:
        events = _log(run, directory, size)
        for first in range(0, size, BATCH):
            now = datetime.now(UTC)
            store.append(run, [(now, event) for event in events[first : first + BATCH]])
    return run


def _log(run: RunId, project: Path, size: int) -> list[Event]:
    limits = RunLimits(max_cost_usd=1, max_minutes=1, max_iterations=1, max_retries=1)
    started = RunStarted(
        run=run,
        workflow="deliver",
        project=os.fsdecode(project),
        project_key="bench",
        version="0",
        model="sonnet",
        plan_model="opus",
        limits=limits,
        sandbox="unsandboxed",
        rehearsal=True,
    )
    events: list[Event] = [started]
    while len(events) < size:
        number = str(len(events))
        events += [
            AgentSpoke("Now the next part of it. " * 4),
            ToolCalled(number, "Bash", {"command": "make test"}),
            ToolDecided(number, "Bash", "allow", ""),
            ToolFinished(number, "ok\n" * 100, is_error=False),
        ]
    return events[:size]


def _took_ms(arguments: Sequence[str], directory: Path) -> float:
    environment = {"HOME": str(directory), "TREADLE_ROOT": str(directory / "root")}
    started = time.perf_counter()
    done = subprocess.run(
        [TREADLE, *arguments],
        cwd=directory,
        env={**environment, "PATH": f"{Path(sys.executable).parent}:{os.defpath}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    took_ms = (time.perf_counter() - started) * 1000
    if done.returncode != 0:
        raise MeasurementFailed(f"treadle {' '.join(arguments)} ended with {done.returncode}")
    return took_ms
