"""The memory and the processes of a sandbox are limited in sum, by a control group."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.escapes.attacked_machine import AttackedMachine, make_attacked_machine
from tests.escapes.callers import USER, Caller, called_by
from tests.escapes.running import confined_by, run, start
from tests.escapes.test_limits_and_ends import launched, python
from tests.missing import missing
from treadle.adapters.sandboxes.cgroup_files import (
    RECORDS_FOLDER,
    make_group,
    remove_stale_groups,
)
from treadle.adapters.sandboxes.cgroups import GroupParent, SandboxGroups, enter_command
from treadle.adapters.sandboxes.command_runner import run_to_end
from treadle.domain.sandbox import ProbePassed, ResourceLimits, SandboxFailed

LIMITS = ResourceLimits(processes=40, memory_mb=150, file_mb=200)
# Each keeps 300 MB, in a form that no limit of a single process counts.
SHARED_MAPPING = """
import mmap
kept = mmap.mmap(-1, 300 << 20)
for at in range(0, 300 << 20, 4096): kept[at] = 1
print("kept")
"""
MEMORY_FILES = """
import os
kept = [os.memfd_create("x") for _ in range(6)]
for file in kept:
    for _ in range(50): os.write(file, bytes(1 << 20))
print("kept")
"""
MANY_PROCESSES = """
import os, signal
ready, tell = os.pipe()
for _ in range(6):
    if os.fork() == 0:
        kept = bytearray(b"x") * (50 << 20)
        os.write(tell, b"x"); os.close(ready); signal.pause()
os.close(tell)
got = b""
while len(got) < 6:
    got += os.read(ready, 6) or exit(1)
    if len(got) < 6 and os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG): exit(1)
print("kept")
"""
TEMPORARY_FILES = """
for folder in ("/tmp", "/var/tmp", "/dev/shm"):
    with open(folder + "/large", "wb") as file:
        for _ in range(100): file.write(bytes(1 << 20))
print("kept")
"""
SYSTEM_V = """
import ctypes
kernel = ctypes.CDLL(None); kernel.shmat.restype = ctypes.c_void_p
for _ in range(3):
    at = kernel.shmat(kernel.shmget(0, ctypes.c_size_t(100 << 20), 0o1600), None, 0)
    ctypes.memset(at, 1, 100 << 20)
print("kept")
"""
THREADS = """
import threading
threading.stack_size(256 << 10)
stop, n = threading.Event(), 0
try:
    while n < 80:
        threading.Thread(target=stop.wait, daemon=True).start()
        n += 1
except RuntimeError: pass
print(n < 40, flush=True)
import os; os._exit(0)
"""
SESSIONS = """
import os, signal
n = 0
for _ in range(80):
    try: child = os.fork()
    except OSError: break
    if child == 0:
        os.setsid()
        try: grandchild = os.fork()
        except OSError: os._exit(1)
        signal.pause() if grandchild == 0 else os._exit(0)
    n += os.wait()[1] == 0
print(n < 40)
"""


@pytest.fixture(scope="module")
def counted() -> Iterator[Caller]:
    """Ourselves, if we can make control groups."""
    with called_by("ourselves") as caller:
        groups = caller.sandbox.groups
        if groups is None or groups.controllers != {"memory", "pids"}:
            missing("control groups that this user can make")
        yield caller


@pytest.fixture(scope="module")
def target(counted: Caller) -> Iterator[AttackedMachine]:
    with make_attacked_machine(counted) as somewhere:
        yield replace(somewhere, within=replace(somewhere.within, limits=LIMITS))


@pytest.mark.parametrize(
    "code",
    [SHARED_MAPPING, MEMORY_FILES, MANY_PROCESSES, TEMPORARY_FILES, SYSTEM_V],
    ids=["shared mapping", "memory files", "many processes", "temporary files", "system v"],
)
@pytest.mark.parametrize("by", ["a launched program", "the agent"])
def test_no_form_of_memory_escapes_the_sum(
    code: str, by: str, counted: Caller, target: AttackedMachine
) -> None:
    command = python(counted, code)

    done = run(
        counted, launched(counted, *command) if by != "the agent" else command, target.within
    )

    assert (done.stdout, done.returncode == 0) == ("", False)


@pytest.mark.parametrize("code", [THREADS, SESSIONS], ids=["threads", "sessions of their own"])
def test_processes_and_threads_are_counted_in_sum(
    code: str, counted: Caller, target: AttackedMachine
) -> None:
    done = run(counted, launched(counted, *python(counted, code)), target.within)

    assert done.stdout == "True\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            SHARED_MAPPING,
            "in the sandbox, whose programs and temporary files may use 150 MB of memory together"
            " (raise sandbox.memory_mb if the work needs more)",
        ),
        (
            THREADS,
            "programs in the sandbox could not start others, because 40 processes and threads were"
            " running (raise sandbox.processes if the work needs more)",
        ),
    ],
    ids=["memory", "processes"],
)
def test_what_a_limit_did_is_told_and_the_group_is_removed(
    code: str, told: str, counted: Caller, target: AttackedMachine
) -> None:
    confined = confined_by(counted, launched(counted, *python(counted, code)), target.within)

    ran = asyncio.run(run_to_end(confined, directory=target.within.workspace, seconds=60))

    # The kernel logs only some of many such ends, and so the program may not be known.
    named = (counted.sandbox.interpreter.program.name[:15], "a program")
    known = [told] if code is THREADS else [f"the kernel ended {name} {told}" for name in named]
    assert ran.exceeded in known
    assert confined.group is not None
    assert [each for each in confined.group.folders if each.exists()] == []
    assert not confined.group.record.exists()


def test_a_sandbox_in_a_group_holds_as_one_without(
    counted: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert asyncio.run(counted.sandbox.probe()) == ProbePassed()


def test_a_command_within_its_limits_is_told_nothing(
    counted: Caller, target: AttackedMachine
) -> None:
    confined = confined_by(counted, launched(counted, "echo said"), target.within)

    ran = asyncio.run(run_to_end(confined, directory=target.within.workspace, seconds=60))

    assert (ran.output, ran.exceeded) == ("said\n", "")


def test_groups_that_a_killed_process_left_are_removed_by_a_later_one(
    counted: Caller, tmp_path: Path
) -> None:
    groups = counted.sandbox.groups
    assert isinstance(groups, SandboxGroups)
    child = (
        "import os, sys; from pathlib import Path;"
        "from treadle.adapters.sandboxes.cgroup_files import find_group_source, make_group;"
        "from treadle.domain.sandbox import ResourceLimits; records = Path(sys.argv[1]);"
        "source = find_group_source(records, systemd_run=None, runtime=None);"
        "made = make_group(source, ResourceLimits(), records);"
        "print(*made.folders, sep='\\n', flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run(
        [sys.executable, "-c", child, tmp_path], capture_output=True, text=True, check=False
    )
    left = [Path(line) for line in killed.stdout.splitlines()]
    living = make_group(groups, ResourceLimits(), tmp_path)
    assert [each.is_dir() for each in left] == [True] * len(groups.parents)

    remove_stale_groups(tmp_path)

    assert [each.is_dir() for each in left] == [False] * len(groups.parents)
    assert list((tmp_path / RECORDS_FOLDER).iterdir()) == [living.record]
    assert [each.is_dir() for each in living.folders] == [True] * len(groups.parents)
    for folder in living.folders:
        folder.rmdir()


def test_a_group_that_cannot_be_made_any_more_starts_no_unlimited_sandbox(
    counted: Caller, target: AttackedMachine, tmp_path: Path
) -> None:
    gone = SandboxGroups((GroupParent(tmp_path / "gone", 1, frozenset({"memory"})),))
    caller = replace(counted, sandbox=replace(counted.sandbox, groups=gone))

    failed = caller.confine(("true",), {}, target.within)

    assert isinstance(failed, SandboxFailed)
    assert failed.message.startswith("the sandbox's control group cannot be made: ")


def test_a_command_whose_group_is_gone_does_not_start(counted: Caller, tmp_path: Path) -> None:
    command = enter_command((tmp_path / "gone",), ("/bin/echo", "started"))

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (125, "")


def test_an_ordinary_user_with_groups_of_its_own_is_held_to_them(target: AttackedMachine) -> None:
    """As where a service manager has delegated them."""
    if os.getuid() != 0:
        missing("only root can give groups away; CI does")
    with called_by("user") as user, make_attacked_machine(user) as machine:
        with called_by("ourselves") as us:
            groups = us.sandbox.groups
        user = replace(user, sandbox=replace(user.sandbox, groups=groups))
        within = replace(machine.within, limits=LIMITS)
        confined = confined_by(user, launched(user, *python(user, MEMORY_FILES)), within)
        # What runs as the user are the words after the one that enters the group.
        assert confined.group is not None
        for folder in confined.group.folders:
            os.chown(folder / "cgroup.procs", USER, USER)
        with start(confined) as process:
            stdout, _ = process.communicate(timeout=60)

        assert (stdout, process.returncode == 0) == ("", False)
