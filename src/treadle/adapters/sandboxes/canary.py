"""Tests a sandbox from inside. It is passed in as text, so it imports nothing of Treadle.

Its first argument is the probe's fixture as JSON. It prints as JSON which tests passed, of what
must work and of what must not, which version of Landlock the kernel has, and how many attacks by a
launched program were blocked.
"""

import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TIMEOUT_S = 2.0
LANDLOCK_VERSION = (444, 1)
GET_PARENT_DEATH_SIGNAL, KILLED = 2, 9
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
NEW_USER_NAMESPACE = 0x10000000
# A launched program tries to write to the agent's output, to write to its memory and to signal it.
# It prints a letter for each attack that fails.
ATTACK = (
    "(: >/proc/{pid}/fd/1) 2>/dev/null || printf w; "
    "(: >>/proc/{pid}/mem) 2>/dev/null || printf m; "
    "kill -0 {pid} 2>/dev/null || printf k"
)
# What installers do in each of the directories that are its arguments.
MOVES = """
import os, sys
for folder in sys.argv[1:]:
    first, second = folder + "/probe-1", folder + "/probe-2"
    os.mkdir(first)
    os.mkdir(second)
    open(first + "/file", "x").close()
    os.link(first + "/file", second + "/linked")
    os.rename(first + "/file", second + "/renamed")
"""
NOT_STARTED = -1


def main() -> None:
    fixture = json.loads(sys.argv[1])
    # The host checks whether this file exists: inside, the write may succeed in a private /tmp.
    _can_write(fixture["beside"])
    result = {
        "access": _passed(access_tests(fixture)),
        "tests": _passed({**denial_tests(fixture), **isolation_tests(fixture)}),
        **measure_separation(fixture),
    }
    sys.stdout.write(json.dumps(result))


def access_tests(fixture: dict[str, Any]) -> dict[str, Callable[[], bool]]:
    """What must work for an agent to be useful."""
    return {
        "writes in the workspace": lambda: _can_write(fixture["workspace"] + "/written"),
        "writes in its home": lambda: _can_write(fixture["home"] + "/written"),
        "writes temporary files": lambda: all(
            _can_write(path + "/written") for path in fixture["temporary"]
        ),
        "renames and links files across directories": lambda: _moves(fixture),
        "reads what it may": lambda: _can_read(fixture["readable"]),
        "reaches its socket": lambda: _reaches(socket.AF_UNIX, fixture["socket"]),
        "talks to itself over the network": _talks_to_itself,
        "has the usual devices": lambda: _can_write("/dev/null") and _can_read_some("/dev/urandom"),
        "starts in the workspace": lambda: str(Path.cwd()) == fixture["workspace"],
    }


def denial_tests(fixture: dict[str, Any]) -> dict[str, Callable[[], bool]]:
    """Paths and addresses that must be out of reach."""
    return {
        "cannot read files next to the workspace": lambda: not _can_read(fixture["secret"]),
        "cannot write what it may read": lambda: not _can_write(fixture["readable"] + ".new"),
        "cannot write the system": lambda: not any(map(_can_write, fixture["system"])),
        "cannot write protected files": lambda: not any(map(_can_write, fixture["protected"])),
        "cannot move protected files": lambda: not any(map(_can_move, fixture["pinned"])),
        "cannot link to what it may not read": lambda: not _can_link(fixture["secret"], fixture),
        "cannot link to protected files": lambda: (
            not any(_can_link(path, fixture) for path in fixture["kept"])
        ),
        "has the system read-only": lambda: all(map(_is_read_only, fixture["read_only"])),
        "cannot fill the memory with files": lambda: all(
            _size(path) <= fixture["temporary_bytes"] for path in fixture["temporary"]
        ),
        "cannot set the kernel": lambda: not _can_open_for_writing("/proc/self/oom_score_adj"),
        "cannot reach services here": lambda: (
            not _reaches(socket.AF_INET, ("127.0.0.1", fixture["port"]))
        ),
        "cannot reach abstract sockets": lambda: (
            not _reaches(socket.AF_UNIX, "\0" + fixture["abstract"])
        ),
    }


def isolation_tests(fixture: dict[str, Any]) -> dict[str, Callable[[], bool]]:
    """Namespaces of its own, and privileges that must be gone."""
    kernel = ctypes.CDLL(None, use_errno=True)
    namespaces = {
        f"has its own {name} namespace": _is_other(f"/proc/self/ns/{name}", outside)
        for name, outside in fixture["namespaces"].items()
    }
    return {
        **namespaces,
        "has no capabilities": lambda: not any(int(_status(name), 16) for name in CAPABILITIES),
        "gains no privileges": lambda: _status("NoNewPrivs") == "1",
        "has its system calls filtered": lambda: _status("Seccomp") == "2",
        "makes no namespaces": lambda: kernel.unshare(NEW_USER_NAMESPACE) != 0,
        "is an ordinary user": lambda: (os.getuid(), os.getgid()) == (1000, 1000),
        "does not know the machine": lambda: socket.gethostname() == fixture["hostname"],
        "has its own terminal session": lambda: os.getsid(0) != 0,
        "dies with its parent": lambda: _death_signal(kernel) == KILLED,
        "has its own variables alone": lambda: _variables("self") == set(fixture["variables"]),
        "sees no variables of ours": lambda: _variables("1") <= {"PATH"},
    }


def measure_separation(fixture: dict[str, Any]) -> dict[str, int]:
    """The version of Landlock, and how many of three attacks on this process were blocked."""
    if not fixture["launcher"]:
        return {"landlock": 0, "attacks_blocked": 0}
    kernel = ctypes.CDLL(None, use_errno=True)
    number, get_version = LANDLOCK_VERSION
    version = kernel.syscall(number, None, ctypes.c_size_t(0), get_version)
    attack = [*fixture["launcher"], ATTACK.format(pid=os.getpid())]
    done = subprocess.run(attack, capture_output=True, text=True, check=False)
    # `ATTACK` exits with 0 whether its attacks fail or not.
    started = done.returncode == 0
    blocked = len(done.stdout) if started else NOT_STARTED
    return {"landlock": max(version, 0), "attacks_blocked": blocked}


def _passed(tests: dict[str, Callable[[], bool]]) -> dict[str, bool]:
    return {name: _passes(test) for name, test in tests.items()}


def _passes(test: Callable[[], bool]) -> bool:
    try:
        return test()
    except (OSError, ValueError):
        return False


def _can_write(path: str) -> bool:
    try:
        with Path(path).open("a") as file:
            file.write("x")
    except OSError:
        return False
    return True


def _can_open_for_writing(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        return False
    return True


def _can_read(path: str) -> bool:
    try:
        with Path(path).open() as file:
            return bool(file.read())
    except OSError:
        return False


def _can_read_some(path: str) -> bool:
    with Path(path).open("rb", buffering=0) as file:
        return bool(file.read(1))


def _is_read_only(path: str) -> bool:
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _size(path: str) -> int:
    status = os.statvfs(path)
    return status.f_blocks * status.f_frsize


def _can_move(path: str) -> bool:
    try:
        Path(path).rename(path + ".moved")
    except OSError:
        return False
    return True


def _can_link(path: str, fixture: dict[str, Any]) -> bool:
    """Whether the file gets another name in the workspace. Rules of macOS are for names."""
    other = fixture["workspace"] + "/other-name"
    clone = getattr(ctypes.CDLL(None), "clonefile", None)
    try:
        Path(other).hardlink_to(path)
    except OSError:
        return clone is not None and clone(os.fsencode(path), os.fsencode(other), 0) == 0
    return True


def _moves(fixture: dict[str, Any]) -> bool:
    """Whether a program that the launcher starts can do it: only such a one has a domain."""
    program = (sys.executable, "-I", "-S", "-c", MOVES)
    command = [*fixture["launcher"], *program, *fixture["movable"]]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _reaches(family: int, address: Any) -> bool:
    with socket.socket(family) as client:
        client.settimeout(TIMEOUT_S)
        try:
            client.connect(address)
        except OSError:
            return False
    return True


def _talks_to_itself() -> bool:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return _reaches(socket.AF_INET, server.getsockname())


def _is_other(link: str, outside: str) -> Callable[[], bool]:
    return lambda: str(Path(link).readlink()) != outside


def _status(name: str) -> str:
    with Path("/proc/self/status").open() as file:
        return next(line.split(":")[1].strip() for line in file if line.startswith(name + ":"))


def _death_signal(kernel: ctypes.CDLL) -> int:
    number = ctypes.c_int(0)
    kernel.prctl(GET_PARENT_DEATH_SIGNAL, ctypes.byref(number))
    return number.value


def _variables(process: str) -> set[str]:
    """The names of the variables that the process was started with."""
    text = Path(f"/proc/{process}/environ").read_text()
    return {entry.partition("=")[0] for entry in text.split("\0") if entry}


if __name__ == "__main__":
    main()
