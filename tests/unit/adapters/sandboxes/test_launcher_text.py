"""The launcher as a file, and in which language."""

import platform
import re
import subprocess
from pathlib import Path

import pytest

from tests.launchers import perl_if
from treadle.adapters.sandboxes.launcher_text import (
    ANSWER,
    Interpreter,
    Perl,
    launcher_text,
    perl_for,
    this_interpreter,
)
from treadle.adapters.sandboxes.perl import this_perl
from treadle.domain.sandbox import ResourceLimits

LIMITS = ResourceLimits(processes=4000, memory_mb=4096, file_mb=7)
X86 = Perl(prctl=157, prlimit=302)
ARM = Perl(prctl=167, prlimit=261)
REAL = Path("/usr/bin/perl5.40")


def test_in_perl_it_is_started_by_its_first_line() -> None:
    first, second, *rest = launcher_text(X86, LIMITS).splitlines()

    assert (first, second) == (
        "#!/usr/bin/perl -tXC0",
        "my @GIVEN = (157, 302, 4000, 4096, 7);",
    )
    assert [line for line in rest if re.match(r"\s*(use|no|require|do|eval)\b", line)] == []


def test_in_python_it_is_one_file_for_a_shell_and_for_python() -> None:
    first, second, *_ = launcher_text(Interpreter(Path("/a b/python"), Path("/a b")), LIMITS).split(
        "\n"
    )

    assert (first, second) == (
        "#!/bin/sh",
        "''''exec '/a b/python' -I -S \"$0\" 4000 4096 7 \"$@\" # '''",
    )


def test_a_python_may_lie_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "o'neil's \"own\" $HOME"
    folder.mkdir()
    (folder / "python").symlink_to(this_interpreter().program)
    launcher = tmp_path / "launch"
    launcher.write_text(launcher_text(Interpreter(folder / "python", folder), LIMITS))

    done = subprocess.run(["sh", launcher, "echo", "started"], capture_output=True, text=True)

    assert (done.stdout, done.stderr) == ("started\n", "")


@pytest.mark.parametrize(
    ("machine", "real", "answer", "found"),
    [
        ("x86_64", REAL, ANSWER, X86),
        ("aarch64", REAL, ANSWER, ARM),
        # Its system calls have numbers that we do not know.
        ("riscv64", REAL, ANSWER, None),
        # A sandbox may not show it.
        ("x86_64", Path("/opt/perl/bin/perl"), ANSWER, None),
        ("x86_64", Path("/usr2/bin/perl"), ANSWER, None),
        # Built without what keeps variables from putting code in.
        ("x86_64", REAL, "0 8 0", None),
        # For a machine of 32 bits: its calls have other numbers.
        ("x86_64", REAL, "-1 4 0", None),
        # It loads something by itself.
        ("x86_64", REAL, "-1 8 2", None),
        # It would say so before each command.
        ("x86_64", REAL, f"perl: warning: Setting locale failed.\n{ANSWER}", None),
        ("x86_64", REAL, "", None),
    ],
)
def test_only_a_perl_that_does_as_it_is_told_starts_commands(
    machine: str, real: Path, answer: str, found: Perl | None
) -> None:
    assert perl_for(machine, real, answer) == found


def test_the_systems_perl_is_asked() -> None:
    planted = {"PERL5OPT": "-d", "PERL5LIB": "/nonexistent", "LC_ALL": "C"}

    assert this_perl(platform.machine(), planted) == perl_if("perl")


@pytest.mark.parametrize("variable", ["LANG", "LC_ALL", "LC_TIME"])
def test_where_it_would_complain_of_the_locale_it_is_not_used(variable: str) -> None:
    assert perl_if("perl") is not None
    assert this_perl(platform.machine(), {variable: "xx_YY.UTF-8"}) is None
