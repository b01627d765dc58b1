"""What every sandbox does for the process that it confines."""

import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.missing import missing
from treadle.adapters.sandboxes.bubblewrap import Bubblewrap
from treadle.adapters.sandboxes.command_runner import ProcessResult, run_to_end
from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.adapters.sandboxes.seatbelt import Seatbelt
from treadle.adapters.sandboxes.unsandboxed import Unsandboxed
from treadle.domain.sandbox import ConfinedCommand, Confinement, ProbePassed, Sandbox

pytestmark = pytest.mark.slow

Make = Callable[[Path], Sandbox]
GIVEN = {"PATH": "/usr/bin:/bin", "GREETING": "hello"}


def bubblewrap(place: Path) -> Sandbox:
    program = shutil.which("bwrap")
    if program is None:
        missing("bubblewrap")
    return Bubblewrap(Path(program), place, this_interpreter(), platform.machine())


def seatbelt(place: Path) -> Sandbox:
    return Seatbelt(this_interpreter(), place)


def unsandboxed(place: Path) -> Sandbox:
    return Unsandboxed()


SANDBOXES: list[Make] = [seatbelt if sys.platform == "darwin" else bubblewrap, unsandboxed]


@pytest.fixture(params=SANDBOXES, ids=lambda make: make.__name__)
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    make: Make = request.param
    return make(tmp_path / "reports")


@pytest.fixture
def within(tmp_path: Path) -> Confinement:
    for name in ("work", "home"):
        (tmp_path / name).mkdir()
    return Confinement(tmp_path / "work", tmp_path / "home")


def everything_in(place: Path) -> set[Path]:
    return set(place.rglob("*"))


def started(sandbox: Sandbox, command: Sequence[str], within: Confinement) -> ConfinedCommand:
    confined = sandbox.confine(command, GIVEN, within)
    assert isinstance(confined, ConfinedCommand)
    return confined


async def run(sandbox: Sandbox, command: Sequence[str], within: Confinement) -> ProcessResult:
    confined = started(sandbox, command, within)
    return await run_to_end(confined, directory=within.workspace, seconds=60)


async def test_it_passes_on_what_the_command_says_and_how_it_ends(
    sandbox: Sandbox, within: Confinement
) -> None:
    assert await run(sandbox, ("sh", "-c", "echo said; exit 3"), within) == ProcessResult(
        3, "said\n"
    )


async def test_it_gives_the_command_its_own_variables_and_home(
    sandbox: Sandbox, within: Confinement
) -> None:
    line = 'echo "$GREETING $HOME ${VIRTUAL_ENV-none} ${PYTEST_CURRENT_TEST-none}"'

    ran = await run(sandbox, ("sh", "-c", line), within)

    assert ran.output == f"hello {within.home} none none\n"


async def test_it_starts_in_the_workspace_and_keeps_what_is_written(
    sandbox: Sandbox, within: Confinement
) -> None:
    await run(sandbox, ("sh", "-c", "echo one > here; echo two > ~/there"), within)

    assert (within.workspace / "here").read_text() == "one\n"
    assert (within.home / "there").read_text() == "two\n"


@pytest.mark.parametrize("command", [("echo one; echo two",), ("printf", "one\ntwo\n")])
async def test_its_launcher_takes_a_shell_line_and_a_command(
    command: tuple[str, ...], sandbox: Sandbox, within: Confinement
) -> None:
    launcher = sandbox.launcher() or (("sh", "-c") if len(command) == 1 else ())

    assert await run(sandbox, (*launcher, *command), within) == ProcessResult(0, "one\ntwo\n")


async def test_it_reports_no_failure_of_a_command_that_ran(
    sandbox: Sandbox, within: Confinement
) -> None:
    confined = started(sandbox, ("false",), within)

    ran = await run_to_end(
        confined, directory=within.workspace, seconds=60, failure=sandbox.failure
    )

    assert ran == ProcessResult(1, "", sandbox_failure=None)
    assert confined.report is None or not confined.report.exists()


async def test_it_does_not_show_the_variables_of_a_command(
    sandbox: Sandbox, within: Confinement
) -> None:
    confined = started(sandbox, ("env",), within)
    await run_to_end(confined, directory=within.workspace, seconds=60)

    assert "hello" not in repr(confined) + " ".join(confined.command)


async def test_it_is_proven(sandbox: Sandbox) -> None:
    assert isinstance(await sandbox.probe(), ProbePassed)


async def test_it_leaves_nothing_of_a_probe(sandbox: Sandbox, tmp_path: Path) -> None:
    before = everything_in(tmp_path)

    await sandbox.probe()

    assert everything_in(tmp_path) - {tmp_path / "reports"} == before
