"""Run inside the sandbox before each program that the agent starts; shipped in as text.

The program gets limits, and a Landlock domain of its own: it can neither signal the agent nor look
into it through /proc, so it cannot speak in the agent's name. Stands alone: no import of ours.
"""

import ctypes
import errno
import os
import resource
import struct
import sys

CREATE_RULESET, RESTRICT_SELF = 444, 446
ASK_VERSION = 1
ADOPT_ORPHANS = 36
NO_NEW_PRIVILEGES = 38
# A domain has to rule over something: making character devices is what nobody here can do anyway.
MAKE_DEVICE = 1 << 6
# Abstract unix sockets and signals stay within the domain.
SCOPES = 0b11
SCOPES_SINCE = 6
# Of a pipe that nobody reads, and of a file that has grown too large.
IGNORED_BY_PYTHON = (13, 25)
FAILED = 126
MEGABYTE = 1 << 20


def main() -> None:
    processes, memory, size = (int(word) for word in sys.argv[1:4])
    line = sys.argv[4:]
    if not line:
        sys.stderr.write("treadle: not started, no command was given\n")
        sys.exit(FAILED)
    # One word is a shell line: so the agent hands over what its own shell would have run.
    command = [_shell(), "-c", line[0]] if len(line) == 1 else line
    try:
        _limit(processes, memory * MEGABYTE, size * MEGABYTE)
        _separate()
        _heed_signals()
        os.execvpe(command[0], command, _environment())  # noqa: S606  # it is what a launcher does
    except (OSError, ValueError) as error:
        # Without the name of a file, which stands before it already.
        why = OSError(error.errno, error.strerror) if isinstance(error, OSError) else error
        sys.stderr.write(f"treadle: not started, {command[0]}: {why}\n")
    sys.exit(FAILED)


def _environment() -> dict[bytes, bytes]:
    """What we were given: Python may have added a locale of its own to it by now."""
    try:
        with open("/proc/self/environ", "rb") as given:  # noqa: PTH123  # no import that can go
            entries = given.read().split(b"\0")
    except OSError:
        return dict(os.environb)
    return dict(entry.split(b"=", 1) for entry in entries if b"=" in entry[1:])


def _shell() -> str:
    return "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh"


def _limit(processes: int, memory: int, size: int) -> None:
    # Data, not address space: several runtimes reserve far more of that than they ever use.
    for kind, most in (
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_FSIZE, size),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


def _separate() -> None:
    kernel = ctypes.CDLL(None, use_errno=True)
    # What a server loses track of is still the server's, and ends with it.
    _checked(kernel, kernel.prctl(ADOPT_ORPHANS, 1, 0, 0, 0))
    kernel.syscall.restype = ctypes.c_long
    version = kernel.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    if version < 0 and ctypes.get_errno() in (errno.ENOSYS, errno.EOPNOTSUPP):
        return  # a kernel without Landlock, which the probe has told of
    ruled = struct.pack("QQQ", MAKE_DEVICE, 0, SCOPES)
    if version < SCOPES_SINCE:
        ruled = struct.pack("Q", MAKE_DEVICE)
    rules = _checked(kernel, kernel.syscall(CREATE_RULESET, ruled, ctypes.c_size_t(len(ruled)), 0))
    _checked(kernel, kernel.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(kernel, kernel.syscall(RESTRICT_SELF, rules, 0))
    os.close(rules)


def _heed_signals() -> None:
    # What is started would ignore them, too. Python's own module for it is slow to load.
    kernel = ctypes.CDLL(None)
    for number in IGNORED_BY_PYTHON:
        kernel.signal(number, None)


def _checked(kernel: ctypes.CDLL, answer: int) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer


if __name__ == "__main__":
    main()
