"""Tests a sandbox from inside; it is passed in as text, so it imports nothing of ours.

Given a scene as JSON in its first argument, it prints what it found as JSON: for each trial whether
it went as it should, and how far the kernel separates processes.
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
# What a program tries that wants to speak in the agent's name: to write to its output, to write to
# its memory, to end it. Each one that fails is a letter.
ATTACK = (
    "(: >/proc/{pid}/fd/1) 2>/dev/null || printf w; "
    "(: >>/proc/{pid}/mem) 2>/dev/null || printf m; "
    "kill -0 {pid} 2>/dev/null || printf k"
)
NOT_STARTED = -1


def main() -> None:
    scene = json.loads(sys.argv[1])
    # Whether that went through is seen on the host: in a /tmp of its own it may, and means nothing.
    _can_write(scene["beside"])
    trials = {**access_tests(scene), **denial_tests(scene), **isolation_tests(scene)}
    findings = {name: _passes(trial) for name, trial in trials.items()}
    sys.stdout.write(json.dumps({"findings": findings, "separation": measure_separation(scene)}))


def access_tests(scene: dict[str, Any]) -> dict[str, Callable[[], bool]]:
    """What has to work, or the sandbox would be of no use."""
    return {
        "writes in the workspace": lambda: _can_write(scene["workspace"] + "/written"),
        "writes in its home": lambda: _can_write(scene["home"] + "/written"),
        "writes temporary files": lambda: all(
            _can_write(path + "/written") for path in scene["temporary"]
        ),
        "reads what it may": lambda: _can_read(scene["readable"]),
        "reaches its socket": lambda: _reaches(socket.AF_UNIX, scene["socket"]),
        "talks to itself over the network": _talks_to_itself,
        "has the usual devices": lambda: _can_write("/dev/null") and _can_read_some("/dev/urandom"),
        "starts in the workspace": lambda: str(Path.cwd()) == scene["workspace"],
    }


def denial_tests(scene: dict[str, Any]) -> dict[str, Callable[[], bool]]:
    """Paths and addresses that have to be out of reach."""
    return {
        "cannot read beside the workspace": lambda: not _can_read(scene["secret"]),
        "cannot write what it may read": lambda: not _can_write(scene["readable"] + ".new"),
        "cannot write the system": lambda: not any(map(_can_write, scene["system"])),
        "cannot write protected files": lambda: not any(map(_can_write, scene["protected"])),
        "cannot move protected files": lambda: not any(map(_can_move, scene["pinned"])),
        "has the system read-only": lambda: all(map(_is_read_only, scene["read_only"])),
        "cannot fill the memory with files": lambda: all(
            _size(path) <= scene["temporary_bytes"] for path in scene["temporary"]
        ),
        "cannot set the kernel": lambda: not _can_open_for_writing("/proc/self/oom_score_adj"),
        "cannot reach services here": lambda: (
            not _reaches(socket.AF_INET, ("127.0.0.1", scene["port"]))
        ),
        "cannot reach abstract sockets": lambda: (
            not _reaches(socket.AF_UNIX, "\0" + scene["abstract"])
        ),
    }


def isolation_tests(scene: dict[str, Any]) -> dict[str, Callable[[], bool]]:
    """Rights and traces that must be gone."""
    kernel = ctypes.CDLL(None, use_errno=True)
    spaces = {
        f"has its own {name} namespace": _is_other(f"/proc/self/ns/{name}", outside)
        for name, outside in scene["namespaces"].items()
    }
    return {
        **spaces,
        "has no capabilities": lambda: not any(int(_status(name), 16) for name in CAPABILITIES),
        "gains no privileges": lambda: _status("NoNewPrivs") == "1",
        "has its system calls filtered": lambda: _status("Seccomp") == "2",
        "makes no namespaces": lambda: kernel.unshare(NEW_USER_NAMESPACE) != 0,
        "is an ordinary user": lambda: (os.getuid(), os.getgid()) == (1000, 1000),
        "does not know the machine": lambda: socket.gethostname() == scene["hostname"],
        "has its own terminal session": lambda: os.getsid(0) != 0,
        "dies with its parent": lambda: _death_signal(kernel) == KILLED,
        "has its own variables alone": lambda: _variables("self") == set(scene["variables"]),
        "sees no variables of ours": lambda: _variables("1") <= {"PATH"},
    }


def measure_separation(scene: dict[str, Any]) -> dict[str, int]:
    """The version of Landlock, and how many of three attacks on this process were held off."""
    if not scene["launcher"]:
        return {"version": 0, "held": 0}
    kernel = ctypes.CDLL(None, use_errno=True)
    number, ask = LANDLOCK_VERSION
    version = kernel.syscall(number, None, ctypes.c_size_t(0), ask)
    attack = [*scene["launcher"], ATTACK.format(pid=os.getpid())]
    done = subprocess.run(attack, capture_output=True, text=True, check=False)
    # The last of the three fails only where signals are held back, and is no error then.
    started = done.returncode == 0
    return {"version": max(version, 0), "held": len(done.stdout) if started else NOT_STARTED}


def _passes(trial: Callable[[], bool]) -> bool:
    try:
        return trial()
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
    found = os.statvfs(path)
    return found.f_blocks * found.f_frsize


def _can_move(path: str) -> bool:
    try:
        Path(path).rename(path + ".moved")
    except OSError:
        return False
    return True


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
    """The names of those that the process was started with."""
    text = Path(f"/proc/{process}/environ").read_text()
    return {entry.partition("=")[0] for entry in text.split("\0") if entry}


if __name__ == "__main__":
    main()
