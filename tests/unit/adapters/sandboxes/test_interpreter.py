"""Which Python runs inside a sandbox, and the launcher as a file for it."""

import os
import platform
import shutil
import sys
import venv
from pathlib import Path

import pytest

from tests.missing import missing
from treadle.adapters.sandboxes.bubblewrap import Bubblewrap
from treadle.adapters.sandboxes.command_runner import ProcessResult, run_to_end
from treadle.adapters.sandboxes.interpreter import (
    Interpreter,
    find_interpreter,
    launcher_text,
    this_interpreter,
)
from treadle.domain.sandbox import ConfinedCommand, Confinement, ResourceLimits

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def installed(tmp_path: Path) -> Interpreter:
    """A Python below a prefix of its own, with a path that no first line could hold."""
    prefix = tmp_path / "o'neil's \"own\" $HOME"
    program = prefix / "bin" / VERSION
    program.parent.mkdir(parents=True)
    program.touch()
    return Interpreter(program, prefix)


def copy_python(to: Interpreter) -> Path:
    """Copies the program and library of the Python that runs the tests; where its shared library
    is now, if it has one."""
    shutil.copy(this_interpreter().program, to.program)
    library = Path(os.__file__).resolve().parent
    copied = to.prefix / library.relative_to(this_interpreter().prefix)
    unused = shutil.ignore_patterns("site-packages", "test", "idlelib", "__pycache__", "config-*")
    shutil.copytree(library, copied, ignore=unused)
    for shared in library.parent.glob("libpython*.so*"):
        shutil.copy(shared, copied.parent)
    return copied.parent


@pytest.mark.parametrize("folder", ["bin", "shims"])
def test_a_program_that_is_a_link_is_the_program_that_it_leads_to(
    folder: str, installed: Interpreter
) -> None:
    link = installed.prefix.parent / folder / "python"
    link.parent.mkdir()
    link.symlink_to(installed.program)
    # As uv does: the newest release of a version under one name.
    (installed.prefix.parent / "newest").symlink_to(installed.prefix)

    assert find_interpreter(link, installed.prefix.parent / "newest") == installed


@pytest.mark.parametrize("with_links", [True, False], ids=["links", "copies"])
def test_a_virtual_environment_has_the_program_of_its_base(
    with_links: bool, installed: Interpreter, tmp_path: Path
) -> None:
    environment = tmp_path / ".venv"
    venv.create(environment, symlinks=with_links)
    program = environment / "bin/python"
    if with_links:
        program.unlink()
        program.symlink_to(installed.program)

    assert find_interpreter(program, installed.prefix) == installed


def test_this_one_lies_below_its_prefix() -> None:
    found = this_interpreter()

    assert found.program.is_relative_to(found.prefix)
    assert found.program.is_file()


def test_the_launcher_starts_with_the_path_of_the_python_and_ends_with_its_limits() -> None:
    limits = ResourceLimits(processes=4000, memory_mb=4096, file_mb=7)

    first, *_, last = launcher_text("/run/treadle/python", limits).splitlines()

    assert (first, last) == ("#!/run/treadle/python -IS", "main(4000, 4096, 7)")


async def test_a_python_starts_commands_wherever_its_prefix_lies(
    installed: Interpreter, tmp_path: Path
) -> None:
    """Nothing of the prefix that the tests run in is seen."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        missing("bubblewrap")
    library = copy_python(installed)
    for name in ("work", "home"):
        (tmp_path / name).mkdir()
    within = Confinement(tmp_path / "work", tmp_path / "home")
    sandbox = Bubblewrap(Path(bwrap), tmp_path / "reports", installed, platform.machine())

    command = (*sandbox.launcher(), "echo", "started")
    confined = sandbox.confine(command, {"LD_LIBRARY_PATH": str(library)}, within)

    assert isinstance(confined, ConfinedCommand)
    ran = await run_to_end(confined, directory=tmp_path, seconds=60)
    assert ran == ProcessResult(0, "started\n")
