"""`python -m bench [--quick]`: every measurement once, on one machine, in one run."""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench import (
    commands,
    durable,
    gateway,
    long_log,
    machine,
    policy,
    sandbox,
    sessions,
    stream_storage,
    verification,
)
from bench.jobs import printed
from bench.model import MeasurementFailed
from bench.project import REQUESTS, BenchProject
from bench.report import table


@dataclass(frozen=True, slots=True)
class Extent:
    """How long the bench may take for how steady its numbers are."""

    sessions: int
    repetitions: int
    more: int
    command_times: int
    storage_times: int
    durable_times: int
    gateway_times: int


FULL = Extent(
    sessions=13,
    repetitions=5,
    more=10,
    command_times=31,
    storage_times=9,
    durable_times=3,
    gateway_times=60,
)
QUICK = Extent(
    sessions=5,
    repetitions=1,
    more=0,
    command_times=5,
    storage_times=3,
    durable_times=1,
    gateway_times=10,
)


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
    last, before = extent.repetitions, machine.now()
    jobs = sessions.measure(extent.sessions, directory, repetitions=extent.repetitions)
    more = sessions.measure_more(extent.sessions, directory, repetitions=extent.more)
    looks = commands.measure(BenchProject(directory / f"deliver-{last}"), extent.command_times)
    stored = stream_storage.measure(
        printed(directory / f"lean-{last}"), directory / "storage", times=extent.storage_times
    )
    opened = long_log.measure(directory / "long-log", extent.storage_times)
    surviving, costs = durable.figures(durable.measure(directory / "durable", extent.durable_times))
    asked = gateway.figures(gateway.measure(directory / "gateway", extent.gateway_times))
    decided = policy.measure(directory / "policy", extent.storage_times)
    confined = sandbox.figures(sandbox.measure(directory / "sandbox", extent.command_times))
    verified = verification.figures(
        verification.measure(directory / "verification", extent.durable_times)
    )
    aimed = [
        *sessions.aimed_figures(jobs, more),
        *commands.aimed_figures(looks),
        *long_log.aimed_figures(opened),
        *surviving,
        *policy.aimed_figures(decided),
        *verified[:1],
    ]
    plain = [
        *sessions.plain_figures(jobs),
        *commands.plain_figures(looks),
        *long_log.plain_figures(opened),
        *policy.plain_figures(decided),
        *verified[1:],
    ]
    others = machine.used_by_others(before, machine.now())
    return [
        f"{machine.described()}; other processes used {others:.0%} of it meanwhile",
        f"{extent.repetitions} × {extent.sessions} sessions of {REQUESTS} requests, in turns;"
        f" {extent.more} × more of the sides that are compared",
        "",
        *table("What is aimed at", aimed),
        *table("Storing", stream_storage.figures(stored)),
        *table("Surviving", costs),
        *table("The gateway", asked),
        *table("The sandbox", confined),
        *table("The numbers behind", plain),
    ]


if __name__ == "__main__":
    sys.exit(main())
