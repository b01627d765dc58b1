"""What the launcher does for the command that it starts."""

import errno
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from treadle.adapters.sandboxes.interpreter import launcher_text, this_interpreter
from treadle.adapters.sandboxes.launch import FAILED
from treadle.domain.sandbox import ResourceLimits

pytestmark = pytest.mark.slow

LIMITS = ResourceLimits(processes=4000, memory_mb=4096, file_mb=7)
PLAIN = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
OTHER_KERNEL = Path(__file__).with_name("other_kernel.py")
EVERY_BYTE = bytes(range(1, 256))
# It prints a letter for each attack on its parent that fails.
ATTACK = (
    "(: >/proc/$PPID/fd/1) 2>/dev/null || printf w; kill -0 $PPID 2>/dev/null || printf k; exit"
)
CREATE_RULESET, RESTRICT_SELF = 444, 446
PRCTL, PRLIMIT = (167, 261) if platform.machine() == "aarch64" else (157, 302)
GET_VERSION = (CREATE_RULESET, 2, 1)


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it printed."""

    code: int
    output: bytes
    errors: bytes = b""


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
    message = f"treadle: not started, {program}: [Errno {number}] {os.strerror(number)}\n"
    return Done(FAILED, b"", message.encode())


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
def test_a_command_ends_and_prints_as_without_the_launcher(
    command: tuple[str | bytes, ...], ended: Done, launcher: Path
) -> None:
    assert run(launcher, *command) == ended


def test_the_command_replaces_the_launcher_in_the_same_process(launcher: Path) -> None:
    with subprocess.Popen([launcher, "echo $$"], env=PLAIN, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert int(process.stdout.read()) == process.pid


@pytest.mark.parametrize("field", ["SigIgn", "SigBlk", "SigCgt"])
def test_its_signals_are_handled_as_without_the_launcher(field: str, launcher: Path) -> None:
    command = ("grep", field, "/proc/self/status")

    assert run(launcher, *command) == run(*command)


def test_it_has_no_more_files_open(launcher: Path) -> None:
    command = ("ls", "/proc/self/fd")

    assert run(launcher, *command) == run(*command)


def test_only_the_four_limits_are_set(launcher: Path) -> None:
    wanted = f"ulimit -u 4000 -d {4096 << 10} -f {7 << 10} -c 0; "
    line = "ulimit -Sa; ulimit -Ha"

    assert run(launcher, line) == run("bash", "-c", wanted + line)


def test_no_memory_limit_is_set_if_the_user_lifted_it(launcher: Path, tmp_path: Path) -> None:
    unlimited = tmp_path / "launch"
    unlimited.write_text(
        launcher_text(str(launcher.with_name("python")), replace(LIMITS, memory_mb=0))
    )
    unlimited.chmod(0o755)

    assert run(unlimited, "ulimit -Hd") == run("bash", "-c", "ulimit -Hd")


def test_a_limit_that_is_lower_already_stays(launcher: Path) -> None:
    line = (
        'ulimit -f 3 -u 3999; exec "$0" "ulimit -Hf; ulimit -Sf; ulimit -Hu; ulimit -Su; ulimit -c"'
    )

    assert run("bash", "-c", line, launcher) == Done(0, b"3\n3\n3999\n3999\n0\n")


def test_a_command_that_cannot_be_started_is_reported(launcher: Path, tmp_path: Path) -> None:
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


def test_so_is_a_launcher_without_a_command(launcher: Path) -> None:
    message = b"treadle: not started, no command was given\n"

    assert run(launcher) == Done(FAILED, b"", message)


def test_a_program_is_searched_for_in_the_path(launcher: Path, tmp_path: Path) -> None:
    program = tmp_path / "greet"
    program.write_text("#!/bin/sh\necho hello $1\n")
    program.chmod(0o755)
    # Also in a directory that everybody may write to, and in the current one.
    tmp_path.chmod(0o777)

    found = run(launcher, "greet", "you", given={**PLAIN, "PATH": f"{tmp_path}:/usr/bin:/bin"})
    beside = run(launcher, "greet", "me", given={**PLAIN, "PATH": "/usr/bin::/bin"}, at=tmp_path)

    assert (found, beside) == (Done(0, b"hello you\n"), Done(0, b"hello me\n"))


def hostile(folder: Path) -> dict[str, str]:
    """Variables that make Python load code besides the program."""
    for name in ("sitecustomize.py", "usercustomize.py", "ctypes.py", "struct.py", "os.py"):
        (folder / name).write_text('print("planted")\n')
    return {
        "PYTHONPATH": str(folder),
        "PYTHONHOME": str(folder),
        "PYTHONSTARTUP": str(folder / "os.py"),
        "PYTHONINSPECT": "1",
    }


def test_no_variable_loads_code_before_the_command_is_separated(
    launcher: Path, tmp_path: Path
) -> None:
    given = {**PLAIN, **hostile(tmp_path)}

    done = run(launcher, "printf", "%s", b"\xc3\xa9\xff", given=given, at=tmp_path)

    assert done == Done(0, b"\xc3\xa9\xff")


def test_without_the_launcher_those_variables_load_code(tmp_path: Path) -> None:
    """Otherwise the test above proves nothing."""
    given = {name: value for name, value in hostile(tmp_path).items() if name != "PYTHONHOME"}

    done = run(sys.executable, "-c", "1", given={**PLAIN, **given})

    assert b"planted" in done.output + done.errors


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


def on_other_kernel(
    call: int, position: int, value: int, result: int, *command: str | Path
) -> Done:
    words = map(str, (call, position, value, result))
    return run(sys.executable, "-I", "-S", OTHER_KERNEL, *words, *command)


@pytest.mark.parametrize(
    ("version", "blocked"),
    [
        (-errno.ENOSYS, b""),
        (-errno.EOPNOTSUPP, b""),
        # It has no rule by which files could be renamed into other directories.
        (1, b""),
        (2, b"w"),
        (5, b"w"),
        (6, b"wk"),
        (9, b"wk"),
    ],
)
def test_an_older_kernel_separates_as_far_as_it_can(
    version: int, blocked: bytes, launcher: Path
) -> None:
    assert on_other_kernel(*GET_VERSION, version, launcher, ATTACK) == Done(0, blocked)


@pytest.mark.parametrize("version", [-errno.ENOSYS, *range(1, 10)])
def test_on_every_kernel_files_are_renamed_and_linked_into_other_directories(
    version: int, launcher: Path, tmp_path: Path
) -> None:
    code = 'import os; os.link("a/x", "b/y"); os.rename("a/x", "b/x"); os.rename("a", "b/a")'
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a/x").touch()
    python = f"cd {tmp_path} && {sys.executable} -I -S -c '{code}'"

    assert on_other_kernel(*GET_VERSION, version, launcher, python) == Done(0, b"")
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == ["a", "x", "y"]


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ((PRLIMIT, 1, 6), errno.EPERM),
        ((PRLIMIT, 1, 2), errno.EPERM),
        ((PRLIMIT, 1, 1), errno.EINVAL),
        ((PRLIMIT, 1, 4), errno.EPERM),
        ((PRCTL, 0, 36), errno.EINVAL),
        (GET_VERSION, errno.EPERM),
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
    done = on_other_kernel(*call, -number, launcher, "echo", "started")

    assert done == not_started("echo", number)
