"""What ordinary programs do works in the sandbox, for root and for an ordinary user."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.escapes.callers import Caller
from tests.escapes.running import start
from tests.missing import missing
from tests.toolchains.file_programs import FILES
from tests.toolchains.language_programs import LANGUAGES
from tests.toolchains.ordinary_program import OrdinaryProgram
from tests.toolchains.process_programs import PROCESSES
from tests.toolchains.server_programs import SERVERS
from treadle.adapters.sandboxes.bubblewrap_options import PATH
from treadle.domain.sandbox import ConfinedCommand, Confinement, ResourceLimits

pytestmark = pytest.mark.slow

PROGRAMS = (*FILES, *PROCESSES, *SERVERS, *LANGUAGES)
# Where this project's own Python tools are, which no sandbox shows by itself.
ENVIRONMENT = Path(sys.prefix)
SYSTEM = Path("/usr")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_it_works_in_the_sandbox(
    program: OrdinaryProgram, caller: Caller, request: pytest.FixtureRequest
) -> None:
    if program.length == "long" and not request.config.getoption("--all-programs", default=False):
        pytest.skip("long: `make toolchains` runs it")
    roots = [root for name in program.needs if (root := find_root(name)) != SYSTEM]
    if roots and caller.who == "user":
        pytest.skip(f"only its owner can read {roots[0]}")

    done = run(program, roots, caller)

    assert (done.stdout, done.returncode) == (program.prints, 0), done.stderr


def run(
    program: OrdinaryProgram, roots: list[Path], caller: Caller
) -> subprocess.CompletedProcess[str]:
    """The end of the program, in directories of its own and started by the launcher."""
    number = len(list(caller.folder.iterdir()))
    work, home = caller.folder / f"work-{number}", caller.folder / f"home-{number}"
    for folder in (work, home):
        folder.mkdir()
    subprocess.run(["git", "init", "-q", work], check=True)
    # Every clone of a run borrows its objects.
    (work / ".git/objects/info/alternates").write_text("")
    for name, text in program.files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    limits = ResourceLimits(memory_mb=0) if program.memory == "unlimited" else ResourceLimits()
    within = Confinement(work, home, network="gateway", readable=tuple(roots), limits=limits)
    path = ":".join([*(f"{root}/bin" for root in roots), PATH])
    command = (*caller.sandbox.launcher(), program.script)
    confined = caller.confine(command, {"LANG": "C.UTF-8", "PATH": path}, within)
    assert isinstance(confined, ConfinedCommand)
    with start(confined) as process:
        stdout, stderr = process.communicate("", timeout=100)
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


@cache
def find_root(name: str) -> Path:
    """The directory that a command belongs to."""
    if (ENVIRONMENT / "bin" / name).exists():
        return ENVIRONMENT
    # Debian keeps those of PostgreSQL apart.
    servers = ":".join(map(str, Path("/usr/lib/postgresql").glob("*/bin")))
    found = shutil.which(name) or shutil.which(name, path=servers)
    if found is None:
        missing(f"{name} (`sh scripts/setup.sh tests` installs it on Debian)")
    if os.path.realpath(found).endswith("/rustup"):
        asked = subprocess.run(
            ["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True
        )
        return Path(asked.stdout.strip())
    return SYSTEM if Path(found).is_relative_to(SYSTEM) else Path(found).parent.parent
