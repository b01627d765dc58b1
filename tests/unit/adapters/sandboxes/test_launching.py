"""What the launcher does for the command that it starts."""

import errno
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from treadle.adapters.sandboxes.interpreter import launcher_text, this_interpreter
from treadle.adapters.sandboxes.launch import FAILED
from treadle.domain.sandbox import ResourceLimits

LIMITS = ResourceLimits(processes=4000, memory_mb=4096, file_mb=7)
PLAIN = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
OTHER_KERNEL = Path(__file__).with_name("other_kernel.py")
EVERY_BYTE = bytes(range(1, 256))
# Each attack on the process before it that fails is a letter.
ATTACK = (
    "(: >/proc/$PPID/fd/1) 2>/dev/null || printf w; kill -0 $PPID 2>/dev/null || printf k; exit"
)
CREATE_RULESET, RESTRICT_SELF = 444, 446
PRCTL, PRLIMIT = (167, 261) if platform.machine() == "aarch64" else (157, 302)
ASKED_FOR_VERSION = (CREATE_RULESET, 2, 1)


@dataclass(frozen=True)
class Done:
    """How a command ended, and all that it said."""

    code: int
    output: bytes
    complaint: bytes = b""


@pytest.fixture(scope="module")
def launcher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("launcher")
    (folder / "python").symlink_to(this_interpreter().program)
    file = folder / "launch"
    file.write_text(launcher_text(str(folder / "python"), LIMITS))
    file.chmod(0o755)
    return file


def run(
    *command: str | bytes | Path, given: Mapping[str, str] = PLAIN, at: Path | None = None
) -> Done:
    done = subprocess.run(command, env=given, cwd=at or "/", capture_output=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def not_started(program: str, number: int) -> Done:
    told = f"treadle: not started, {program}: [Errno {number}] {os.strerror(number)}\n"
    return Done(FAILED, b"", told.encode())


@pytest.mark.parametrize(
    ("command", "ended"),
    [
        (("exit 7",), Done(7, b"")),
        (("echo out; echo err >&2; false",), Done(1, b"out\n", b"err\n")),
        (("echo one\necho two # three",), Done(0, b"one\ntwo\n")),
        ((b"printf '%s' '\xff\n\x01\xc3\xa9 \"'",), Done(0, b'\xff\n\x01\xc3\xa9 "')),
        (('echo "$0 two  blanks"',), Done(0, b"/bin/bash two  blanks\n")),
        (("",), Done(0, b"")),
        (("printf", "%s|", "", "b  c", "$HOME", "d\ne", "-f"), Done(0, b"|b  c|$HOME|d\ne|-f|")),
        (("printf", "%s", EVERY_BYTE), Done(0, EVERY_BYTE)),
        (("sh", "-c", "exit 255"), Done(255, b"")),
        (("kill -TERM $$",), Done(-signal.SIGTERM, b"")),
        (("kill -PIPE $$",), Done(-signal.SIGPIPE, b"")),
        (("sh", "-c", "kill -KILL $$"), Done(-signal.SIGKILL, b"")),
    ],
)
def test_a_command_ends_and_speaks_as_it_would_alone(
    command: tuple[str | bytes, ...], ended: Done, launcher: Path
) -> None:
    assert run(launcher, *command) == ended


def test_it_is_the_process_that_was_started(launcher: Path) -> None:
    with subprocess.Popen([launcher, "echo $$"], env=PLAIN, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert int(process.stdout.read()) == process.pid


@pytest.mark.parametrize("told", ["SigIgn", "SigBlk", "SigCgt"])
def test_signals_reach_it_as_they_would_reach_it_alone(told: str, launcher: Path) -> None:
    command = ("grep", told, "/proc/self/status")

    assert run(launcher, *command) == run(*command)


def test_it_has_no_more_files_open(launcher: Path) -> None:
    command = ("ls", "/proc/self/fd")

    assert run(launcher, *command) == run(*command)


def test_its_limits_are_those_that_were_asked_for_and_no_others(launcher: Path) -> None:
    wanted = f"ulimit -u 4000 -d {4096 << 10} -f {7 << 10} -c 0; "
    line = "ulimit -Sa; ulimit -Ha"

    assert run(launcher, line) == run("bash", "-c", wanted + line)


def test_a_limit_that_is_lower_already_stays(launcher: Path) -> None:
    line = (
        'ulimit -f 3 -u 3999; exec "$0" "ulimit -Hf; ulimit -Sf; ulimit -Hu; ulimit -Su; ulimit -c"'
    )

    assert run("bash", "-c", line, launcher) == Done(0, b"3\n3\n3999\n3999\n0\n")


def test_what_cannot_be_started_is_told(launcher: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")

    assert run(launcher, "/nonexistent/program", "x") == not_started(
        "/nonexistent/program", errno.ENOENT
    )
    assert run(launcher, "nonexistent-program", "x") == not_started(
        "nonexistent-program", errno.ENOENT
    )
    assert run(launcher, tmp_path / "text", "x") == not_started(
        str(tmp_path / "text"), errno.EACCES
    )


def test_so_is_a_launcher_with_nothing_to_start(launcher: Path) -> None:
    told = b"treadle: not started, no command was given\n"

    assert run(launcher) == Done(FAILED, b"", told)


def test_a_program_is_looked_for_where_its_path_says(launcher: Path, tmp_path: Path) -> None:
    program = tmp_path / "greet"
    program.write_text("#!/bin/sh\necho hello $1\n")
    program.chmod(0o755)
    # Also in a directory that anybody may write to, and in the one it is started in.
    tmp_path.chmod(0o777)

    found = run(launcher, "greet", "you", given={**PLAIN, "PATH": f"{tmp_path}:/usr/bin:/bin"})
    beside = run(launcher, "greet", "me", given={**PLAIN, "PATH": "/usr/bin::/bin"}, at=tmp_path)

    assert (found, beside) == (Done(0, b"hello you\n"), Done(0, b"hello me\n"))


def hostile(place: Path) -> dict[str, str]:
    """Variables by which Python loads more than the program."""
    for name in ("sitecustomize.py", "usercustomize.py", "ctypes.py", "struct.py", "os.py"):
        (place / name).write_text('print("planted")\n')
    return {
        "PYTHONPATH": str(place),
        "PYTHONHOME": str(place),
        "PYTHONSTARTUP": str(place / "os.py"),
        "PYTHONINSPECT": "1",
    }


def test_no_variable_loads_code_before_the_command_is_separated(
    launcher: Path, tmp_path: Path
) -> None:
    given = {**PLAIN, **hostile(tmp_path)}

    done = run(launcher, "printf", "%s", b"\xc3\xa9\xff", given=given, at=tmp_path)

    assert done == Done(0, b"\xc3\xa9\xff")


def test_those_variables_do_where_nothing_is_done_about_it(tmp_path: Path) -> None:
    """Or they would prove nothing."""
    given = {name: value for name, value in hostile(tmp_path).items() if name != "PYTHONHOME"}

    done = run(sys.executable, "-c", "1", given={**PLAIN, **given})

    assert b"planted" in done.output + done.complaint


@pytest.mark.parametrize("locale", [PLAIN, {}, {"LANG": "C"}, {"LC_ALL": "POSIX"}])
def test_the_command_gets_them_all_byte_for_byte_and_no_others(
    locale: Mapping[str, str], launcher: Path, tmp_path: Path
) -> None:
    given = {
        "PATH": "/usr/bin:/bin",
        **locale,
        **hostile(tmp_path),
        "with.dot": "1",
        "BASH_FUNC_f%%": "() { :; }",
        "A": "\udcff\nthere",
        "EMPTY": "",
    }

    assert run(launcher, "env", "-0", given=given) == run("env", "-0", given=given)


def elsewhere(call: int, place: int, value: int, answer: int, *command: str | Path) -> Done:
    words = map(str, (call, place, value, answer))
    return run(sys.executable, "-I", "-S", OTHER_KERNEL, *words, *command)


@pytest.mark.parametrize(
    ("version", "held"),
    [
        (-errno.ENOSYS, b""),
        (-errno.EOPNOTSUPP, b""),
        # It does not say, and is asked for the least.
        (-errno.EPERM, b"w"),
        (1, b"w"),
        (5, b"w"),
        (6, b"wk"),
        (9, b"wk"),
    ],
)
def test_an_older_kernel_separates_as_far_as_it_can(
    version: int, held: bytes, launcher: Path
) -> None:
    assert elsewhere(*ASKED_FOR_VERSION, version, launcher, ATTACK) == Done(0, held)


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ((PRLIMIT, 1, 6), errno.EPERM),
        ((PRLIMIT, 1, 2), errno.EPERM),
        ((PRLIMIT, 1, 1), errno.EINVAL),
        ((PRLIMIT, 1, 4), errno.EPERM),
        ((PRCTL, 0, 36), errno.EINVAL),
        ((CREATE_RULESET, 2, 0), errno.ENOMEM),
        ((CREATE_RULESET, 2, 0), errno.ENOSYS),
        ((PRCTL, 0, 38), errno.EINVAL),
        ((RESTRICT_SELF, 1, 0), errno.E2BIG),
        ((RESTRICT_SELF, 1, 0), errno.EOPNOTSUPP),
    ],
)
def test_a_command_that_cannot_be_separated_or_limited_is_not_started(
    call: tuple[int, int, int], number: int, launcher: Path
) -> None:
    done = elsewhere(*call, -number, launcher, "echo", "started")

    assert done == not_started("echo", number)
