"""A command that cannot start is told from one that ran and failed, by what a real shell says."""

import shutil
import subprocess
from pathlib import Path

import pytest

from treadle.verify.results.start_failure import StartFailure, start_failure

BASH = shutil.which("bash") or "bash"


def shell(directory: Path, line: str, program: str = "/bin/sh") -> tuple[int, str]:
    ended = subprocess.run(
        [program, "-c", line],
        cwd=directory,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        ("pytest-not-there -q", StartFailure(127, "pytest-not-there")),
        ("echo before; pytest-not-there", StartFailure(127, "pytest-not-there")),
        ("./run.sh", StartFailure(127, "./run.sh")),
        (".venv/bin/python -m pytest", StartFailure(127, ".venv/bin/python")),
        ("bash missing.sh", StartFailure(127, "missing.sh")),
        (f"{BASH} -c not-there", StartFailure(127, "not-there")),
        ("env not-there", StartFailure(127, "not-there")),
        ("./plain.txt", StartFailure(126, "./plain.txt")),
        ("not-there 2>&-", StartFailure(127, "")),
        ("false", None),
        ("exit 2", None),
        ("true", None),
        ("python3 missing.py", None),
    ],
)
def test_the_program_that_cannot_start_is_named(
    tmp_path: Path, line: str, failure: StartFailure | None
) -> None:
    (tmp_path / "plain.txt").touch()

    assert start_failure(*shell(tmp_path, line)) == failure


def test_a_script_that_dash_cannot_open_was_not_started() -> None:
    output = "sh: 0: cannot open run_tests.sh: No such file\n"

    assert start_failure(2, output) == StartFailure(2, "run_tests.sh")


def test_time_that_ran_out_is_no_failure_to_start() -> None:
    assert start_failure(None, "sh: 1: x: not found\n") is None


@pytest.mark.parametrize(
    ("program", "is_project_file"),
    [
        ("./run.sh", True),
        ("bin/test", True),
        ("run_tests.sh", True),
        ("pytest", False),
        ("/usr/bin/pytest", False),
        (".venv/bin/python", False),
        ("backend/.venv/bin/python", False),
        ("node_modules/.bin/vitest", False),
        ("", False),
    ],
)
def test_files_of_the_project_may_be_written_yet(program: str, is_project_file: bool) -> None:
    assert StartFailure(127, program).is_project_file == is_project_file
