"""What every check runner does: it runs a command on a commit and returns the result."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from tests.unit.workflows.loop.sandboxed_check_runner_harness import make_runner_harness
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
class CheckedRepository:
    runner: CheckRunner
    commit: str
    stop: Callable[[], None]


async def real(directory: Path) -> CheckedRepository:
    harness = await make_runner_harness(directory)
    commit = harness.commit(**{"hello.txt": "hello\n"})
    return CheckedRepository(harness.runner, commit, harness.stop.set)


async def remembered(_: Path) -> CheckedRepository:
    output_lines = {
        (GREEN, "c1"): PresetResult(0, "hello\n"),
        (RED, ""): PresetResult(3, "no\n"),
        (SLOW, ""): PresetResult(None),
        (REPORTING, ""): PresetResult(0, "", {"report.xml": b"<testsuite/>\n"}),
    }
    runner = MemoryCheckRunner(output_lines)
    return CheckedRepository(runner, "c1", output_lines.clear)


@pytest.fixture(params=[real, remembered], ids=["real", "memory"])
async def checked(request: pytest.FixtureRequest, tmp_path: Path) -> CheckedRepository:
    made: CheckedRepository = await request.param(tmp_path)
    return made


async def result(checked: CheckedRepository, command: str, *, seconds: float = 60) -> CommandResult:
    trial = CheckCommand(command, checked.commit, "after", seconds, collect=("*.xml",))
    found = await checked.runner.run(trial)
    assert isinstance(found, CommandResult)
    return found


@pytest.mark.parametrize(
    ("command", "exit_code", "output"), [(GREEN, 0, "hello\n"), (RED, 3, "no\n")]
)
async def test_the_evidence_names_command_commit_and_end_and_the_hash_of_the_log(
    checked: CheckedRepository, command: str, exit_code: int, output: str
) -> None:
    found = await result(checked, command)

    evidence = found.evidence
    assert (evidence.command, evidence.commit, evidence.when) == (command, checked.commit, "after")
    assert (evidence.exit_code, evidence.is_green) == (exit_code, exit_code == 0)
    assert (found.output, evidence.log) == (output, sha256(output.encode()).hexdigest())
    assert evidence.tree
    assert evidence.fingerprint


async def test_what_is_not_done_in_time_has_no_exit_code(checked: CheckedRepository) -> None:
    found = await result(checked, SLOW, seconds=0.3)

    assert (found.evidence.exit_code, found.evidence.is_green) == (None, False)


async def test_files_that_the_command_left_are_given_back(checked: CheckedRepository) -> None:
    found = await result(checked, REPORTING)

    assert dict(found.files) == {"report.xml": b"<testsuite/>\n"}


async def test_a_run_that_is_asked_to_stop_shows_nothing(checked: CheckedRepository) -> None:
    checked.stop()

    assert (
        await checked.runner.run(CheckCommand(GREEN, checked.commit, "after", 60))
        == CommandStopped()
    )
