"""What every check runner does: it runs a command on a commit and returns the result."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from tests.missing import missing
from tests.unit.workflows.loop.sandboxed_check_runner_harness import make_runner_harness
from treadle.domain.pin_plan import PinnedFile, PinPlan
from treadle.verify.results.check_runner import (
    CheckCommand,
    CheckRunner,
    CommandResult,
    CommandStopped,
)
from treadle.verify.results.memory_check_runner import MemoryCheckRunner, PresetResult
from treadle.workspace.access_times import keeps_access_times

pytestmark = pytest.mark.slow

GREEN, RED, SLOW = "cat hello.txt", "echo no; exit 3", "cat /dev/zero > /dev/null"
REPORTING = "echo '<testsuite/>' > report.xml"
WATCHED = ("hello.txt", "SPEC.md")


@dataclass(frozen=True)
class CheckedRepository:
    runner: CheckRunner
    commit: str
    stop: Callable[[], None]
    # An earlier commit, in which hello.txt says otherwise.
    base: str


async def real(directory: Path) -> CheckedRepository:
    harness = await make_runner_harness(directory)
    base = harness.commit(**{"hello.txt": "good day\n"})
    harness.repository.write("greet", "#!/bin/sh\n")
    (harness.repository.path / "greet").chmod(0o755)
    commit = harness.commit(**{"hello.txt": "hello\n"})
    return CheckedRepository(harness.runner, commit, harness.stop.set, base)


async def remembered(_: Path) -> CheckedRepository:
    output_lines = {
        (GREEN, "c1"): PresetResult(
            0, "hello\n", read_files=("hello.txt", "other.txt"), programs=("greet",)
        ),
        (RED, ""): PresetResult(3, "no\n"),
        (SLOW, ""): PresetResult(None),
        (REPORTING, ""): PresetResult(0, "", {"report.xml": b"<testsuite/>\n"}),
    }
    runner = MemoryCheckRunner(output_lines)
    runner.pinned[GREEN, ""] = PresetResult(0, "good day\n")
    return CheckedRepository(runner, "c1", output_lines.clear, "c0")


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


async def test_with_pins_the_judges_are_those_of_another_commit(checked: CheckedRepository) -> None:
    files = (PinnedFile("hello.txt", "restored", "tests"),)
    trial = CheckCommand(GREEN, checked.commit, "pinned", 60, pins=PinPlan(checked.base, files))

    on_work, pinned = await result(checked, GREEN), await checked.runner.run(trial)

    assert isinstance(pinned, CommandResult)
    assert (on_work.output, pinned.output) == ("hello\n", "good day\n")
    evidence = pinned.evidence
    assert (evidence.commit, evidence.judges_of) == (checked.commit, checked.base)
    assert (evidence.when, on_work.evidence.judges_of) == ("pinned", "")
    assert evidence.tree != on_work.evidence.tree


@pytest.mark.parametrize(("watched", "read_files"), [(WATCHED, ("hello.txt",)), ((), ())])
async def test_of_the_watched_files_those_that_were_read_are_named(
    checked: CheckedRepository,
    watched: tuple[str, ...],
    read_files: tuple[str, ...],
    tmp_path: Path,
) -> None:
    if not keeps_access_times(tmp_path):
        missing(f"access times in {tmp_path}")
    trial = CheckCommand(GREEN, checked.commit, "after", 60, watched=watched)

    found = await checked.runner.run(trial)

    assert isinstance(found, CommandResult)
    assert found.read_files == read_files


@pytest.mark.parametrize(("program", "present"), [("greet", True), ("jq", False), ("", False)])
async def test_a_program_of_the_project_is_told_from_a_missing_one(
    checked: CheckedRepository, program: str, present: bool
) -> None:
    trial = CheckCommand(GREEN, checked.commit, "after", 60, find_program=program)

    found = await checked.runner.run(trial)

    assert isinstance(found, CommandResult)
    assert found.program_present is present


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
