"""How long a claimed round takes to verify, against one plain run of the test command.

The work changes a test, so that the tests run twice: on the work, and with the user's own tests.
"""

import asyncio
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure, Spread, ratios
from bench.model import MeasurementFailed
from treadle.domain.check import CheckTiming
from treadle.domain.ids import RunId
from treadle.domain.run_request import RunRequest
from treadle.runs.request import checked_commands
from treadle.runs.temporary_runner import temporary_runner
from treadle.settings.environment import parse_environment
from treadle.settings.load import load_settings
from treadle.verify.results.check_runner import CheckCommand, CommandStopped
from treadle.wiring.checked_request import RunHost
from treadle.workflows.loop.pinned_judges import PinnedJudges
from treadle.workflows.loop.sandboxed_check_runner import SandboxedCheckRunner
from treadle.workspace.project import find_project

VERIFYING = "verifying a claimed round / one run of its tests"
COMMAND = "python3 -m unittest"
MODULES = 20
MOST_S = 120.0
# A test of some tens of milliseconds, as unit tests with a little work to do are.
TEST = """\
import unittest

from words_{n} import count


class Count(unittest.TestCase):
    def test_count(self):
        text = "a b " * {size}
        self.assertEqual(count(text), len(text.split()))
"""
CODE = "def count(text):\n    return sum(1 for word in text.split() if word)\n"
SIZE = 400_000


@dataclass(frozen=True, slots=True)
class Verified:
    """One plain run of the tests, and the verification of one claimed round, in seconds."""

    plain_s: float
    verified_s: float


def measure(directory: Path, times: int) -> list[Verified]:
    """So many of each, in turns."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(directory / "home")}
    (directory / "home").mkdir(parents=True)
    project = directory / "project"
    base = _commit(project, environment, _files(SIZE))
    tip = _commit(project, environment, {**_files(SIZE), "test_words_0.py": _test(0, SIZE + 1)})
    return asyncio.run(_measured(project, environment, (base, tip), times))


async def _measured(
    project: Path, variables: Mapping[str, str], commits: tuple[str, str], times: int
) -> list[Verified]:
    environment = parse_environment(variables)
    found = await find_project(project, environment.raw)
    settings = load_settings(project, environment=environment.raw).settings
    request = RunRequest(RunId("bench"), str(project), {}, no_sandbox=False, rehearsal=True)
    host = RunHost(environment, asyncio.Semaphore(1))
    checked = await checked_commands(request, host, settings, found)
    done = []
    with temporary_runner(checked, own_commit=commits[0]) as runner:
        for _ in range(times + 1):
            plain_s = _plain(project, variables)
            # A plan is made for each round anew.
            judges = PinnedJudges(found.git)
            started = time.perf_counter()
            await _verify(runner, judges, *commits)
            done.append(Verified(plain_s, time.perf_counter() - started))
    return done[1:]


async def _verify(runner: SandboxedCheckRunner, judges: PinnedJudges, base: str, tip: str) -> None:
    plan = await judges.plan(COMMAND, base, tip)
    if plan.is_empty:
        raise MeasurementFailed("the work touches no judge")
    watched = await judges.changed_paths(base, tip)
    timings: tuple[CheckTiming, ...] = ("after", "pinned")
    for when in timings:
        pins = plan if when == "pinned" else None
        check = CheckCommand(COMMAND, tip, when, MOST_S, pins=pins, watched=watched)
        result = await runner.run(check)
        if isinstance(result, CommandStopped) or not result.evidence.is_green:
            raise MeasurementFailed("the tests are not green")


def figures(done: Sequence[Verified]) -> list[Figure]:
    plain, verified = [one.plain_s for one in done], [one.verified_s for one in done]
    return [
        Figure(
            "verifying a claimed round / one run of its tests", "x", ratios(verified, plain), 2.2
        ),
        Figure("  one plain run of the tests", "s", Spread.of(plain)),
    ]


def _plain(project: Path, environment: Mapping[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(["sh", "-c", COMMAND], cwd=project, env=environment, check=True,
                   capture_output=True)  # fmt: skip
    return time.perf_counter() - started


def _files(size: int) -> dict[str, str]:
    code = {f"words_{n}.py": CODE for n in range(MODULES)}
    return code | {f"test_words_{n}.py": _test(n, size) for n in range(MODULES)}


def _test(number: int, size: int) -> str:
    return TEST.format(n=number, size=size)


def _commit(project: Path, environment: Mapping[str, str], files: Mapping[str, str]) -> str:
    project.mkdir(exist_ok=True)
    for name, text in files.items():
        (project / name).write_text(text)

    def git(*arguments: str) -> str:
        words = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
        done = subprocess.run(words, cwd=project, env=environment, check=True, capture_output=True)
        return done.stdout.decode().strip()

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "What there is")
    return git("rev-parse", "HEAD")
