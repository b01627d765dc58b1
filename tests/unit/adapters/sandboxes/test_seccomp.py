"""The system call filter, run by a small interpreter of its instructions."""

import errno
import platform
import struct
from dataclasses import dataclass

import pytest

from treadle.adapters.sandboxes.seccomp import (
    ARCHITECTURES,
    DENIED,
    NEW_NAMESPACES,
    SCHEDULING,
    make_filter,
)
from treadle.domain.sandbox import SandboxFailed

ALLOWED, KILLED = 0x7FFF0000, 0x80000000
MACHINES = sorted(ARCHITECTURES)


@dataclass(frozen=True)
class Call:
    """A system call, as a filter sees it."""

    number: int
    audit: int
    arguments: tuple[int, ...] = ()

    @property
    def words(self) -> dict[int, int]:
        words = {0: self.number, 4: self.audit}
        for at, value in enumerate(self.arguments):
            words |= {16 + 8 * at: value & 0xFFFFFFFF, 20 + 8 * at: value >> 32}
        return words


def refused(reason: int) -> int:
    return 0x00050000 | reason


def verdict_on(program: bytes, call: Call) -> int:
    """Runs the program; knows only the instructions that it uses."""
    instructions = list(struct.iter_unpack("=HBBI", program))
    at, loaded = 0, 0
    while True:
        code, then, skip, value = instructions[at]
        match code:
            case 0x06:
                return int(value)
            case 0x20:
                loaded, jump = call.words.get(value, 0), 0
            case 0x15:
                jump = then if loaded == value else skip
            case 0x35:
                jump = then if loaded >= value else skip
            case 0x45:
                jump = then if loaded & value else skip
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")
        at += 1 + jump


def verdict_for(machine: str, name: str, *arguments: int) -> int:
    return verdict_for_number(machine, ARCHITECTURES[machine].numbers[name], *arguments)


def verdict_for_number(machine: str, number: int, *arguments: int) -> int:
    program = make_filter(machine)
    assert isinstance(program, bytes)
    return verdict_on(program, Call(number, ARCHITECTURES[machine].audit, arguments))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("number", range(425, 434))
def test_no_call_of_the_new_mount_interface_or_of_io_uring_passes(
    number: int, machine: str
) -> None:
    assert verdict_for_number(machine, number) == refused(errno.EPERM)
    assert verdict_for_number(machine, 467) == refused(errno.EPERM)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", DENIED)
def test_denied_calls_are_refused(name: str, machine: str) -> None:
    assert verdict_for(machine, name) == refused(errno.EPERM)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "verdict"),
    [
        ("clone3", (), refused(errno.ENOSYS)),  # so that the older call is used
        ("clone", (17,), ALLOWED),
        ("clone", (0x003D0F00,), ALLOWED),  # a thread
        ("clone", (17 | 0x10000000,), refused(errno.EPERM)),
        ("clone", (NEW_NAMESPACES,), refused(errno.EPERM)),
        ("socket", (1,), ALLOWED),
        ("socket", (2,), ALLOWED),
        ("socket", (10,), ALLOWED),
        ("socket", (16,), ALLOWED),
        ("socket", (17,), refused(errno.EAFNOSUPPORT)),
        ("socket", (40,), refused(errno.EAFNOSUPPORT)),
        ("openat2", (), refused(errno.ENOSYS)),
        ("fchmod", (3, 0o1755), ALLOWED),
        ("fchmod", (3, 0o2755), ALLOWED),
        ("fchmod", (3, 0o4755), refused(errno.EPERM)),
        ("fchmodat", (3, 0, 0o755), ALLOWED),
        ("fchmodat", (3, 0, 0o4711), refused(errno.EPERM)),
        ("fchmodat2", (3, 0, 0o4711, 0), refused(errno.EPERM)),
        ("mknodat", (3, 0, 0o104755), refused(errno.EPERM)),
        ("openat", (3, 0, 0o101, 0o644), ALLOWED),
        ("openat", (3, 0, 0o101, 0o4755), refused(errno.EPERM)),
        ("openat", (3, 0, 0o20200002, 0o4755), refused(errno.EPERM)),
        ("openat", (3, 0, 0o2, 0o4755), ALLOWED),  # creates no file, so the mode is ignored
        ("ioctl", (0, 0x5401), ALLOWED),
        ("ioctl", (0, 0x5412), refused(errno.EPERM)),
        ("ioctl", (0, 0x541C), refused(errno.EPERM)),
        # The own limits, those of another process to read, and to change.
        ("prlimit64", (0, 7, 0x7F0000001000, 0), ALLOWED),
        ("prlimit64", (2, 7, 0, 0x7F0000001000), ALLOWED),
        ("prlimit64", (2, 7, 0x1000, 0), refused(errno.EPERM)),
        ("prlimit64", (2, 7, 0x7F0000000000, 0), refused(errno.EPERM)),
        *((name, (0, 4096), ALLOWED) for name in SCHEDULING),
        *((name, (2, 4096), refused(errno.EPERM)) for name in SCHEDULING),
        ("setpriority", (0, 0, 5), ALLOWED),
        ("setpriority", (0, 2, 5), refused(errno.EPERM)),
        ("setpriority", (1, 0, 5), refused(errno.EPERM)),  # the group of processes
        ("setpriority", (2, 0, 5), refused(errno.EPERM)),  # all of the user
        ("ioprio_set", (1, 0, 0x6000), ALLOWED),
        ("ioprio_set", (1, 2, 0x6000), refused(errno.EPERM)),
        ("ioprio_set", (3, 0, 0x6000), refused(errno.EPERM)),
    ],
)
def test_some_calls_depend_on_their_arguments(
    name: str, arguments: tuple[int, ...], verdict: int, machine: str
) -> None:
    assert verdict_for(machine, name, *arguments) == verdict


@pytest.mark.parametrize(
    ("name", "arguments", "verdict"),
    [
        ("chmod", (0, 0o755), ALLOWED),
        ("chmod", (0, 0o4755), refused(errno.EPERM)),
        ("creat", (0, 0o4755), refused(errno.EPERM)),
        ("mknod", (0, 0o104755), refused(errno.EPERM)),
        ("open", (0, 0o101, 0o644), ALLOWED),
        ("open", (0, 0o101, 0o4755), refused(errno.EPERM)),
        ("open", (0, 0, 0o4755), ALLOWED),
    ],
)
def test_older_calls_of_one_architecture_are_filtered_alike(
    name: str, arguments: tuple[int, ...], verdict: int
) -> None:
    assert verdict_for("x86_64", name, *arguments) == verdict


@pytest.mark.parametrize("machine", MACHINES)
def test_all_other_calls_pass(machine: str) -> None:
    architecture = ARCHITECTURES[machine]
    program = make_filter(machine)
    assert isinstance(program, bytes)
    others = set(range(500)) - set(architecture.numbers.values())

    verdicts = {verdict_on(program, Call(number, architecture.audit)) for number in others}

    assert verdicts == {ALLOWED}


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_architecture_do_not_pass(machine: str) -> None:
    program = make_filter(machine)
    assert isinstance(program, bytes)
    audit = ARCHITECTURES[machine].audit

    assert verdict_on(program, Call(1, 0x40000003)) == KILLED
    assert verdict_on(program, Call(1 | 0x40000000, audit)) == refused(errno.ENOSYS)


def test_an_architecture_without_a_table_has_no_filter() -> None:
    found = make_filter("riscv64")

    assert isinstance(found, SandboxFailed)
    assert found.message == "no system call filter is known for the architecture riscv64"


def test_this_machine_has_a_filter() -> None:
    assert platform.machine() in {*ARCHITECTURES, "arm64"}
