"""What every check runner does: it runs a command on a commit and returns the result."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from tests.unit.wiring.check_runner_harness import make_runner_harness
from treadle.verify.check_runner import (
    CheckCommand,
    CheckRunner,
    CommandResult,
    CommandStopped,
)
from treadle.verify.memory_check_runner import MemoryCheckRunner, PresetResult

pytestmark = pytest.mark.slow

GREEN, RED, SLOW = "cat hello.txt", "echo no; exit 3", "cat /dev/zero > /dev/null"
REPORTING = "echo '<testsuite/>' > report.xml"


@dataclass(frozen=True)
class Place:
    runner: CheckRunner
    commit: str
    stop: Callable[[], None]


async def real(directory: Path) -> Place:
    harness = await make_runner_harness(directory)
    commit = harness.commit(**{"hello.txt": "hello\n"})
    return Place(harness.runner, commit, harness.stop.set)


async def remembered(_: Path) -> Place:
    output_lines = {
        (GREEN, "c1"): PresetResult(0, "hello\n"),
        (RED, ""): PresetResult(3, "no\n"),
        (SLOW, ""): PresetResult(None),
        (REPORTING, ""): PresetResult(0, "", {"report.xml": b"<testsuite/>\n"}),
    }
    runner = MemoryCheckRunner(output_lines)
    return Place(runner, "c1", output_lines.clear)


@pytest.fixture(params=[real, remembered], ids=["real", "memory"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    made: Place = await request.param(tmp_path)
    return made


async def result(place: Place, command: str, *, seconds: float = 60) -> CommandResult:
    trial = CheckCommand(command, place.commit, "after", seconds, collect=("*.xml",))
    found = await place.runner.run(trial)
    assert isinstance(found, CommandResult)
    return found


@pytest.mark.parametrize(
    ("command", "exit_code", "output"), [(GREEN, 0, "hello\n"), (RED, 3, "no\n")]
)
async def test_the_evidence_names_command_commit_and_end_and_the_hash_of_the_log(
    place: Place, command: str, exit_code: int, output: str
) -> None:
    found = await result(place, command)

    evidence = found.evidence
    assert (evidence.command, evidence.commit, evidence.when) == (command, place.commit, "after")
    assert (evidence.exit_code, evidence.is_green) == (exit_code, exit_code == 0)
    assert (found.output, evidence.log) == (output, sha256(output.encode()).hexdigest())
    assert evidence.tree
    assert evidence.fingerprint


async def test_what_is_not_done_in_time_has_no_exit_code(place: Place) -> None:
    found = await result(place, SLOW, seconds=0.3)

    assert (found.evidence.exit_code, found.evidence.is_green) == (None, False)


async def test_files_that_the_command_left_are_given_back(place: Place) -> None:
    found = await result(place, REPORTING)

    assert dict(found.files) == {"report.xml": b"<testsuite/>\n"}


async def test_a_run_that_is_asked_to_stop_shows_nothing(place: Place) -> None:
    place.stop()

    assert (
        await place.runner.run(CheckCommand(GREEN, place.commit, "after", 60)) == CommandStopped()
    )
