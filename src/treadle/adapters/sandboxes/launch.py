"""Starts one command of an agent inside the sandbox, limited and separated from the agent.

The command gets resource limits and its own Landlock domain, so it can neither signal the agent nor
open the agent's files in /proc, and thus cannot write messages in the agent's name. The sandbox
receives this module as text with a call of `main` at its end, so it imports nothing of Treadle.
"""

import ctypes
import errno
import os
import resource
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
GET_VERSION = 1
SET_CHILD_SUBREAPER = 36
SET_NO_NEW_PRIVS = 38
# Abstract unix sockets and signals stay within the domain.
SCOPES = 0b11
SCOPES_SINCE = 6
# The right to rename or link a file into another directory. A domain that handles any right of the
# file system denies this one unless a rule allows it, and the oldest Landlock has no such rule.
REFER = 1 << 13
REFER_SINCE = 2
BENEATH_PATH = 1
# SIGPIPE and SIGXFSZ.
IGNORED_BY_PYTHON = (13, 25)
FAILED = 126
MEGABYTE = 1 << 20


def main(processes: int, memory_mb: int, file_mb: int) -> None:
    words = sys.argv[1:]
    if not words:
        sys.stderr.write("treadle: not started, no command was given\n")
        sys.exit(FAILED)
    # A single word is a shell line: the agent passes on what its own shell would have run.
    command = [_shell(), "-c", words[0]] if len(words) == 1 else words
    try:
        _set_limits(processes, memory_mb * MEGABYTE, file_mb * MEGABYTE)
        _enter_domain()
        _restore_signals()
        os.execvpe(command[0], command, _environment())  # noqa: S606  # it is what a launcher does
    except (OSError, ValueError) as error:
        # An OSError may name the file, which the message already does.
        why = OSError(error.errno, error.strerror) if isinstance(error, OSError) else error
        sys.stderr.write(f"treadle: not started, {command[0]}: {why}\n")
    sys.exit(FAILED)


def _environment() -> dict[bytes, bytes]:
    """The variables that the launcher was started with: Python may have added a locale by now."""
    try:
        with open("/proc/self/environ", "rb") as file:  # noqa: PTH123  # pathlib is slow to import
            entries = file.read().split(b"\0")
    except OSError:
        return dict(os.environb)
    return dict(entry.split(b"=", 1) for entry in entries if b"=" in entry[1:])


def _shell() -> str:
    return "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh"


def _set_limits(processes: int, memory: int, file_size: int) -> None:
    # Data, not address space: several runtimes reserve far more of that than they ever use.
    for kind, limit in (
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_CORE, 0),
    ):
        if limit == 0 and kind == resource.RLIMIT_DATA:
            continue  # the user lifted it: sanitizers reserve terabytes
        hard = resource.getrlimit(kind)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (limit, limit))


def _enter_domain() -> None:
    kernel = ctypes.CDLL(None, use_errno=True)
    # Orphans of a tool server become children of the server, and end with it.
    _checked(kernel.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    kernel.syscall.restype = ctypes.c_long
    version = kernel.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), GET_VERSION)
    if version < 0 and ctypes.get_errno() in (errno.ENOSYS, errno.EOPNOTSUPP):
        return  # this kernel has no Landlock, and the probe has warned about that
    if _checked(version) < REFER_SINCE:
        return  # nor about this one, where no program could rename into another directory
    ruleset = _scoped_ruleset(kernel) if version >= SCOPES_SINCE else _refer_ruleset(kernel)
    _checked(kernel.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(kernel.syscall(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _scoped_ruleset(kernel: ctypes.CDLL) -> int:
    rules = struct.pack("QQQ", 0, 0, SCOPES)
    return _checked(kernel.syscall(CREATE_RULESET, rules, ctypes.c_size_t(len(rules)), 0))


def _refer_ruleset(kernel: ctypes.CDLL) -> int:
    """A domain must handle something. This one handles REFER and allows it everywhere, so that it
    restricts no file and still keeps its processes out of the agent's."""
    rules = struct.pack("Q", REFER)
    ruleset = _checked(kernel.syscall(CREATE_RULESET, rules, ctypes.c_size_t(len(rules)), 0))
    root = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    rule = struct.pack("=Qi", REFER, root)
    _checked(kernel.syscall(ADD_RULE, ruleset, BENEATH_PATH, rule, 0))
    os.close(root)
    return ruleset


def _restore_signals() -> None:
    # The command would inherit that they are ignored. The module `signal` is slow to import.
    kernel = ctypes.CDLL(None)
    for number in IGNORED_BY_PYTHON:
        kernel.signal(number, None)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
