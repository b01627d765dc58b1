"""Builds the seccomp filter of system calls that no sandboxed process needs. Pure.

It refuses what namespaces do not cover: access to other processes and to their limits, parts of the
kernel with a history of vulnerabilities, new namespaces, socket families that ignore namespaces,
and setuid programs.
"""

import errno
import struct
from dataclasses import dataclass
from functools import cache

from treadle.domain.sandbox import SandboxFailed

# Both tables below must have a number for each of these.
DENIED = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd"),
    *("kcmp", "move_pages", "perf_event_open", "userfaultfd", "bpf", "open_by_handle_at"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register"),
    # Asynchronous writes, which continue after the process was killed.
    "io_setup",
    *("add_key", "request_key", "keyctl"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
    *("unshare", "setns", "pivot_root", "mount", "umount2", "mount_setattr"),
    *("open_tree", "open_tree_attr", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick"),
)

# Newer system calls have the same number on both architectures.
_SHARED = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "clone3": 435, "pidfd_getfd": 438, "process_madvise": 440,
    "openat2": 437, "mount_setattr": 442, "fchmodat2": 452, "open_tree_attr": 467,
}  # fmt: skip
_X86_64 = {
    "io_setup": 206,
    "setpriority": 141, "sched_setparam": 142, "sched_setscheduler": 144, "sched_setaffinity": 203,
    "ioprio_set": 251, "prlimit64": 302, "sched_setattr": 314,
    "open": 2, "ioctl": 16, "socket": 41, "clone": 56, "creat": 85, "chmod": 90, "fchmod": 91,
    "mknod": 133, "openat": 257, "mknodat": 259, "fchmodat": 268,
    "ptrace": 101, "pivot_root": 155, "mount": 165,
    "umount2": 166, "init_module": 175, "delete_module": 176, "kexec_load": 246, "add_key": 248,
    "request_key": 249, "keyctl": 250, "unshare": 272, "move_pages": 279,
    "perf_event_open": 298, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "kexec_file_load": 320,
    "bpf": 321, "userfaultfd": 323, **_SHARED,
}  # fmt: skip
_AARCH64 = {
    "ioprio_set": 30, "sched_setparam": 118, "sched_setscheduler": 119, "sched_setaffinity": 122,
    "setpriority": 140, "prlimit64": 261, "sched_setattr": 274,
    "io_setup": 0, "mknodat": 33, "fchmod": 52, "fchmodat": 53, "openat": 56,
    "ioctl": 29, "umount2": 39, "mount": 40, "pivot_root": 41, "unshare": 97, "kexec_load": 104,
    "init_module": 105, "delete_module": 106, "ptrace": 117, "socket": 198, "add_key": 217,
    "request_key": 218, "keyctl": 219, "clone": 220, "move_pages": 239, "perf_event_open": 241,
    "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271,
    "kcmp": 272, "finit_module": 273, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
    **_SHARED,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Architecture:
    """The audit number of an architecture, and the numbers of its system calls."""

    audit: int
    numbers: dict[str, int]


ARCHITECTURES = {
    "x86_64": Architecture(0xC000003E, _X86_64),
    "aarch64": Architecture(0xC00000B7, _AARCH64),
}

NEW_NAMESPACES = 0x7E020000
# Unix, IPv4, IPv6, and netlink, which lists network interfaces. The other families ignore the
# network namespace (vsock reaches the host of a virtual machine) or are not needed.
FAMILIES = (1, 2, 10, 16)
# TIOCSTI and TIOCLINUX, which insert input into a terminal.
TERMINAL_REQUESTS = (0x5412, 0x541C)
# A setuid program in the workspace would run with the rights of the user, or of root, outside of
# the sandbox too. The setgid bit is allowed: shared directories have it, and copying one sets it.
# The numbers are the positions of the mode among the arguments of each call.
SETUID_BIT = 0o4000
MODE_ARGUMENT = {"creat": 1, "chmod": 1, "fchmod": 1, "mknod": 1}
MODE_ARGUMENT |= {"mknodat": 2, "fchmodat": 2, "fchmodat2": 2}
# The positions of the flags. The mode follows them, and matters only if a file is created.
OPEN_FLAGS_ARGUMENT = {"open": 1, "openat": 2}
CREATE_FLAGS = 0o100 | 0o20000000
# A program may change its own limits, priority and processors, by the id 0, and not those of other
# processes, of which the agent is one. A filter does not know a program's own id, so that is
# refused, too. These calls take the id of a process, or of a thread, as their first argument.
SCHEDULING = ("sched_setparam", "sched_setscheduler", "sched_setaffinity", "sched_setattr")
# And these take a kind first, which may be all processes of a group or of the user: the kind of one
# process is allowed alone.
PRIORITY = {"setpriority": 0, "ioprio_set": 1}
# A filter cannot read their arguments; programs use the older calls when these are refused.
UNFILTERABLE = ("clone3", "openat2")
# The bit of the x32 system calls of x86_64; no call of another architecture has it.
FOREIGN_TABLE = 0x40000000

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_AT, _SECOND_AT, _THIRD_AT, _EACH, _WORD = (
    0,
    4,
    16,
    24,
    32,
    8,
    4,
)
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000


@cache
def make_filter(machine: str) -> bytes | SandboxFailed:
    """The program for `--seccomp`; a failure if the architecture has no table."""
    architecture = ARCHITECTURES.get(machine)
    if architecture is None:
        return SandboxFailed(
            f"no system call filter is known for the architecture {machine}",
            hint="x86_64 and aarch64 have one; elsewhere --no-sandbox is the only way",
        )
    numbers = architecture.numbers
    program = [
        *_require_value(_ARCHITECTURE_AT, architecture.audit, _KILL),
        _instruction(_LOAD, _NUMBER_AT),
        _instruction(_IF_AT_LEAST, FOREIGN_TABLE, skip=1),
        _refuse(errno.ENOSYS),
        *(step for name in DENIED for step in _refuse_call(numbers[name], errno.EPERM)),
        *(step for name in UNFILTERABLE for step in _refuse_call(numbers[name], errno.ENOSYS)),
        *_for_call(numbers["clone"], _FIRST_AT, _refuse_bits(NEW_NAMESPACES)),
        *_for_call(numbers["socket"], _FIRST_AT, _allow_only(FAMILIES)),
        *_for_call(numbers["ioctl"], _SECOND_AT, _refuse_values(TERMINAL_REQUESTS)),
        *_refuse_setuid(numbers),
        *_refuse_foreign_limits(numbers),
        _instruction(_RETURN, _ALLOW),
    ]
    return b"".join(program)


def _refuse_foreign_limits(numbers: dict[str, int]) -> list[bytes]:
    program: list[bytes] = []
    for name in SCHEDULING:
        program += _for_call(numbers[name], _FIRST_AT, _allow_only((0,), errno.EPERM))
    for name, one_process in PRIORITY.items():
        body = [
            _instruction(_IF_EQUAL, one_process, then=1),
            _refuse(errno.EPERM),
            _instruction(_LOAD, _SECOND_AT),
            *_allow_only((0,), errno.EPERM),
        ]
        program += _for_call(numbers[name], _FIRST_AT, body)
    # Reading the limits of another process is allowed: it passes no new ones, whose address is the
    # third argument, of two words.
    body = [_instruction(_IF_EQUAL, 0, skip=1), _instruction(_RETURN, _ALLOW)]
    for word in (_THIRD_AT, _THIRD_AT + _WORD):
        body += [
            _instruction(_LOAD, word),
            _instruction(_IF_EQUAL, 0, then=1),
            _refuse(errno.EPERM),
        ]
    body.append(_instruction(_RETURN, _ALLOW))
    return program + _for_call(numbers["prlimit64"], _FIRST_AT, body)


def _refuse_setuid(numbers: dict[str, int]) -> list[bytes]:
    """Each architecture has only some of these calls."""
    program: list[bytes] = []
    for name, position in MODE_ARGUMENT.items():
        if name in numbers:
            at = _FIRST_AT + position * _EACH
            program += _for_call(numbers[name], at, _refuse_bits(SETUID_BIT))
    for name, position in OPEN_FLAGS_ARGUMENT.items():
        if name in numbers:
            at = _FIRST_AT + position * _EACH
            mode = [_instruction(_LOAD, at + _EACH), *_refuse_bits(SETUID_BIT)]
            body = [
                _instruction(_IF_ANY_BIT, CREATE_FLAGS, then=1),
                _instruction(_RETURN, _ALLOW),
                *mode,
            ]
            program += _for_call(numbers[name], at, body)
    return program


def _instruction(code: int, value: int, *, then: int = 0, skip: int = 0) -> bytes:
    """One instruction; it skips `then` instructions if its condition holds, and `skip` if not."""
    return struct.pack("=HBBI", code, then, skip, value)


def _refuse(reason: int) -> bytes:
    return _instruction(_RETURN, _REFUSE | reason)


def _require_value(at: int, value: int, verdict: int) -> list[bytes]:
    return [
        _instruction(_LOAD, at),
        _instruction(_IF_EQUAL, value, then=1),
        _instruction(_RETURN, verdict),
    ]


def _refuse_call(number: int, reason: int) -> list[bytes]:
    return [_instruction(_IF_EQUAL, number, skip=1), _refuse(reason)]


def _for_call(number: int, argument_at: int, body: list[bytes]) -> list[bytes]:
    """For this call, load an argument and run `body`, which always returns."""
    return [
        _instruction(_IF_EQUAL, number, skip=1 + len(body)),
        _instruction(_LOAD, argument_at),
        *body,
    ]


def _refuse_bits(bits: int) -> list[bytes]:
    return [
        _instruction(_IF_ANY_BIT, bits, skip=1),
        _refuse(errno.EPERM),
        _instruction(_RETURN, _ALLOW),
    ]


def _allow_only(values: tuple[int, ...], reason: int = errno.EAFNOSUPPORT) -> list[bytes]:
    tests = [
        _instruction(_IF_EQUAL, value, then=len(values) - at) for at, value in enumerate(values)
    ]
    return [*tests, _refuse(reason), _instruction(_RETURN, _ALLOW)]


def _refuse_values(values: tuple[int, ...]) -> list[bytes]:
    tests = [
        _instruction(_IF_EQUAL, value, then=len(values) - at) for at, value in enumerate(values)
    ]
    return [*tests, _instruction(_RETURN, _ALLOW), _refuse(errno.EPERM)]
