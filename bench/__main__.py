"""`python -m bench [--quick]`: every measurement once, on one machine, in one run."""

import argparse
import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench import commands, sessions, storing
from bench.jobs import printed
from bench.model import MeasurementFailed
from bench.report import table
from bench.sessions import Plan
from bench.stage import Stage


@dataclass(frozen=True, slots=True)
class Extent:
    """How long the bench may take for how steady its numbers are."""

    plan: Plan
    command_times: int
    storing_times: int


FULL = Extent(Plan(sessions=12, few_sessions=2, repetitions=5), 25, 9)
QUICK = Extent(Plan(sessions=4, few_sessions=2, repetitions=1), 5, 3)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes; rougher")
    extent = QUICK if parser.parse_args().quick else FULL
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as name:
        try:
            lines = measure_all(extent, Path(name).resolve())
        except MeasurementFailed as error:
            print(f"bench: a measurement failed: {error}", file=sys.stderr)
            return 1
    print("\n".join(lines))
    return 0


def measure_all(extent: Extent, directory: Path) -> list[str]:
    """The whole report, as lines."""
    plan, last = extent.plan, directory / f"repetition-{extent.plan.repetitions}"
    before = _machine()
    jobs = sessions.measure(plan, directory)
    looks = commands.measure(Stage(last / "deliver"), extent.command_times)
    stored = storing.measure(
        printed(last / "plain"), directory / "storing", times=extent.storing_times
    )
    return [
        f"{before}; {plan.repetitions} × {plan.sessions} sessions of 3 requests a side, in turns",
        "",
        *table(
            "What is aimed at",
            [*sessions.aimed_figures(jobs, plan), *commands.aimed_figures(looks)],
        ),
        *table("Storing", storing.figures(stored)),
        *table(
            "The numbers behind",
            [*sessions.plain_figures(jobs, plan), *commands.plain_figures(looks)],
        ),
    ]


def _machine() -> str:
    load = os.getloadavg()[0]
    python = platform.python_version()
    return f"{platform.system()}, {os.cpu_count()} cores, load {load:.1f} before, Python {python}"


if __name__ == "__main__":
    sys.exit(main())
