"""The limits of a sandbox, how it ends, and how its programs are separated from the agent."""

import os
import signal
from dataclasses import replace

import pytest

from tests.escapes.attacked_machine import AttackedMachine
from tests.escapes.callers import Caller
from tests.escapes.running import confined_by, run, start
from treadle.adapters.sandboxes.launch import FAILED
from treadle.domain.sandbox import ResourceLimits, SandboxFailed

SMALL = ResourceLimits(processes=30, memory_mb=512, file_mb=1)
FORK = """
import os, signal
n = 0
try:
    while n < 60:
        if os.fork() == 0: signal.pause()
        n += 1
except OSError: pass
print(n < 30)
"""
WRITE = """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try: open("large", "wb").write(bytes(2 << 20))
except OSError as error: print(error.strerror)
"""
ALLOCATE = """
try: bytearray(600 << 20)
except MemoryError: print("no memory")
"""


def python(caller: Caller, code: str) -> tuple[str, ...]:
    return (str(caller.sandbox.interpreter.program), "-I", "-S", "-c", code)


def launched(caller: Caller, *command: str) -> tuple[str, ...]:
    return (*caller.sandbox.launcher(), *command)


@pytest.mark.parametrize(
    ("code", "output"), [(WRITE, "File too large"), (ALLOCATE, "no memory")], ids=["file", "memory"]
)
def test_a_program_is_held_to_its_limits(
    code: str, output: str, caller: Caller, attacked: AttackedMachine
) -> None:
    within = replace(attacked.within, limits=SMALL)

    done = run(caller, launched(caller, *python(caller, code)), within)

    assert done.stdout.strip() == output


def test_a_sandbox_has_so_many_processes(caller: Caller, attacked: AttackedMachine) -> None:
    within = replace(attacked.within, limits=SMALL)

    done = run(caller, launched(caller, *python(caller, FORK)), within)

    # Without a control group the kernel does not count those of root, and the probe says so.
    assert done.stdout.strip() == str(caller.counts_processes)


def test_common_programs_work_within_the_usual_limits(
    caller: Caller, attacked: AttackedMachine
) -> None:
    line = "git --version && python3 -c 'print(1)' && ls / | wc -l"

    done = run(caller, launched(caller, line), attacked.within)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_launched_program_cannot_touch_the_process_that_starts_it(
    caller: Caller, attacked: AttackedMachine
) -> None:
    attack = (
        "for path in fd/0 fd/1 fd/2 mem environ maps; do "
        "{ true >/proc/2/$path || true </proc/2/$path; } 2>/dev/null && echo opened $path; done; "
        "for signal in 0 STOP TERM KILL; do "
        "kill -$signal 2 2>/dev/null && echo sent $signal; done; "
        "echo tried"
    )
    # The second process is the shell; what it starts goes through the launcher.
    agent = ("sh", "-c", '"$0" "$1"; echo alive', *caller.sandbox.launcher(), attack)

    done = run(caller, agent, attacked.within)

    assert (done.stdout, done.returncode) == ("tried\nalive\n", 0)


AGENT = """
import os, resource, subprocess, sys
before = [
    [resource.prlimit(os.getpid(), kind) for kind in range(16)],
    os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), os.sched_getscheduler(0),
]
print(subprocess.run(sys.argv[1:], text=True, capture_output=True).stdout, end="")
print(before == [
    [resource.prlimit(os.getpid(), kind) for kind in range(16)],
    os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), os.sched_getscheduler(0),
])
"""
ON_THE_AGENT = """
import ctypes, os, resource
kernel, agent, idle = ctypes.CDLL(None), os.getppid(), os.sched_param(0)
thread = int(os.listdir(f"/proc/{agent}/task")[-1])
def set_limit(pid, kind, to):
    resource.prlimit(pid, kind, (to, to))
for name, attack in {
    "processor time": lambda: set_limit(agent, resource.RLIMIT_CPU, 1),
    "size of files": lambda: set_limit(agent, resource.RLIMIT_FSIZE, 1),
    "open files": lambda: set_limit(agent, resource.RLIMIT_NOFILE, 3),
    "processes": lambda: set_limit(agent, resource.RLIMIT_NPROC, 0),
    "by its thread": lambda: set_limit(thread, resource.RLIMIT_STACK, 4096),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, agent, 19),
    "priority of the group": lambda: os.setpriority(os.PRIO_PGRP, 0, 19),
    "priority of the user": lambda: os.setpriority(os.PRIO_USER, 0, 19),
    "processors": lambda: os.sched_setaffinity(agent, [min(os.sched_getaffinity(0))]),
    "scheduler": lambda: os.sched_setscheduler(agent, os.SCHED_IDLE, idle),
    "parameters": lambda: os.sched_setparam(agent, idle),
}.items():
    try:
        attack()
        print("changed", name)
    except PermissionError: pass
if kernel.syscall(251, 1, agent, 3 << 13) == 0 and os.uname().machine == "x86_64": print("disk")
print("tried")
"""
ON_ITSELF = (
    "ulimit -n 64 && ulimit -n && nice -n 5 nice && taskset -c 0 true && prlimit --nofile=32 sh -c"
    " 'ulimit -n' && ionice -c 3 true && chrt --idle 0 true && prlimit --pid $$ --nofile >/dev/null"
)


def test_a_launched_program_cannot_change_limits_and_priorities_of_the_process_that_starts_it(
    caller: Caller, attacked: AttackedMachine
) -> None:
    command = launched(caller, *python(caller, ON_THE_AGENT))

    done = run(caller, (*python(caller, AGENT), *command), attacked.within)

    assert done.stdout == "tried\nTrue\n"


def test_a_launched_program_changes_its_own_limits_and_priorities(
    caller: Caller, attacked: AttackedMachine
) -> None:
    done = run(caller, launched(caller, ON_ITSELF), attacked.within)

    assert (done.stdout, done.stderr) == (f"64\n{os.nice(0) + 5}\n32\n", "")


def test_without_the_launcher_it_could(caller: Caller, attacked: AttackedMachine) -> None:
    agent = ("sh", "-c", 'sh -c "echo forged >/proc/2/fd/1; kill -KILL 2"; echo alive')

    done = run(caller, agent, attacked.within)

    # The pipe is ours, so that only we may open it once more.
    forged = "forged\n" if caller.who == "ourselves" else ""
    assert (done.stdout, done.returncode) == (forged, 128 + signal.SIGKILL)


def test_a_launched_program_reaches_no_abstract_socket_of_the_process_that_starts_it(
    caller: Caller, attacked: AttackedMachine
) -> None:
    child = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('\\0mine')"
    parent = (
        "import socket, subprocess, sys; s = socket.socket(socket.AF_UNIX); s.bind('\\0mine'); "
        "s.listen(); sys.exit(subprocess.run(sys.argv[1:]).returncode)"
    )
    command = launched(caller, *python(caller, child))

    done = run(caller, (*python(caller, parent), *command), attacked.within)

    assert done.returncode == 1
    assert "PermissionError" in done.stderr


def test_a_launcher_that_cannot_separate_does_not_start_the_program(
    caller: Caller, attacked: AttackedMachine
) -> None:
    done = run(caller, launched(caller, "/nonexistent/program", "x"), attacked.within)

    assert done.returncode == FAILED
    assert done.stderr == (
        "treadle: not started, /nonexistent/program: [Errno 2] No such file or directory\n"
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_the_process_that_was_started(
    number: signal.Signals, caller: Caller, attacked: AttackedMachine
) -> None:
    daemon = "setsid sh -c 'trap \"\" TERM HUP; echo up; while read x; do :; done <&3' 3<&0 & wait"

    with start(
        confined_by(caller, ("sh", "-c", f"exec 3<&0; {daemon}"), attacked.within)
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        os.kill(process.pid, number)
        # The daemon holds the pipe: its end comes when the last process is gone.
        assert process.stdout.read() == ""
        process.wait(timeout=30)


def test_a_command_that_ran_is_distinguished_from_one_that_did_not(
    caller: Caller, attacked: AttackedMachine
) -> None:
    def reported(*command: str) -> SandboxFailed | None:
        confined = confined_by(caller, command, attacked.within)
        with start(confined) as process:
            _, stderr = process.communicate(timeout=30)
        assert process.returncode == 1
        assert confined.report is not None
        return caller.sandbox.failure(confined.report, stderr)

    assert reported("sh", "-c", "exit 1") is None
    failed = reported("/nonexistent/agent")
    assert failed is not None
    assert failed.message == "the sandbox has no /nonexistent/agent"


LOOK = """
import pathlib
for name in ("keys", "key-users", "timer_list", "latency_stats", "sched_debug"):
    try: print(name, len(pathlib.Path("/proc", name).read_text()))
    except OSError: pass
try: open("/proc/keys", "w").write("x")
except OSError: print("read-only")
"""


def test_keys_and_timers_of_the_machine_are_not_shown(
    caller: Caller, attacked: AttackedMachine
) -> None:
    done = run(caller, python(caller, LOOK), attacked.within)

    lines = done.stdout.split("\n")[:-1]
    assert "keys 0" in lines
    assert [line for line in lines if not line.endswith(" 0")] == ["read-only"]
