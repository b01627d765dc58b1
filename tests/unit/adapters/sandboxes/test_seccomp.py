"""The system call filter, run by a model of the machine that the kernel has for it."""

import errno
import platform
import struct
from dataclasses import dataclass

import pytest

from treadle.adapters.sandboxes.seccomp import (
    ARCHITECTURES,
    DENIED,
    NEW_NAMESPACES,
    make_filter,
)
from treadle.domain.sandbox import SandboxFailed

ALLOWED, KILLED = 0x7FFF0000, 0x80000000
MACHINES = sorted(ARCHITECTURES)


@dataclass(frozen=True)
class Call:
    """What the kernel shows a filter of a system call."""

    number: int
    audit: int
    arguments: tuple[int, ...] = ()

    @property
    def words(self) -> dict[int, int]:
        at = {0: self.number, 4: self.audit}
        return at | {16 + 8 * place: value for place, value in enumerate(self.arguments)}


def refused(reason: int) -> int:
    return 0x00050000 | reason


def answer(program: bytes, call: Call) -> int:
    """What the kernel's machine makes of the program; only the instructions that are in it."""
    steps = list(struct.iter_unpack("=HBBI", program))
    at, held = 0, 0
    while True:
        code, then, skip, value = steps[at]
        match code:
            case 0x06:
                return int(value)
            case 0x20:
                held, jump = call.words.get(value, 0), 0
            case 0x15:
                jump = then if held == value else skip
            case 0x35:
                jump = then if held >= value else skip
            case 0x45:
                jump = then if held & value else skip
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")
        at += 1 + jump


def judged(machine: str, name: str, *arguments: int) -> int:
    return judged_number(machine, ARCHITECTURES[machine].numbers[name], *arguments)


def judged_number(machine: str, number: int, *arguments: int) -> int:
    program = make_filter(machine)
    assert isinstance(program, bytes)
    return answer(program, Call(number, ARCHITECTURES[machine].audit, arguments))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("number", range(425, 434))
def test_no_call_of_the_new_mount_interface_or_of_io_uring_passes(
    number: int, machine: str
) -> None:
    assert judged_number(machine, number) == refused(errno.EPERM)
    assert judged_number(machine, 467) == refused(errno.EPERM)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", DENIED)
def test_calls_that_nobody_needs_are_refused(name: str, machine: str) -> None:
    assert judged(machine, name) == refused(errno.EPERM)


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
        ("openat", (3, 0, 0o2, 0o4755), ALLOWED),  # makes no file, so that there is no mode
        ("ioctl", (0, 0x5401), ALLOWED),
        ("ioctl", (0, 0x5412), refused(errno.EPERM)),
        ("ioctl", (0, 0x541C), refused(errno.EPERM)),
    ],
)
def test_some_calls_depend_on_what_is_asked(
    name: str, arguments: tuple[int, ...], verdict: int, machine: str
) -> None:
    assert judged(machine, name, *arguments) == verdict


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
def test_old_calls_that_newer_machines_lack_are_judged_alike(
    name: str, arguments: tuple[int, ...], verdict: int
) -> None:
    assert judged("x86_64", name, *arguments) == verdict


@pytest.mark.parametrize("machine", MACHINES)
def test_all_other_calls_pass(machine: str) -> None:
    architecture = ARCHITECTURES[machine]
    program = make_filter(machine)
    assert isinstance(program, bytes)
    others = set(range(500)) - set(architecture.numbers.values())

    verdicts = {answer(program, Call(number, architecture.audit)) for number in others}

    assert verdicts == {ALLOWED}


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_by_another_table_do_not_pass(machine: str) -> None:
    program = make_filter(machine)
    assert isinstance(program, bytes)
    audit = ARCHITECTURES[machine].audit

    assert answer(program, Call(1, 0x40000003)) == KILLED
    assert answer(program, Call(1 | 0x40000000, audit)) == refused(errno.ENOSYS)


def test_a_machine_without_a_table_has_no_sandbox() -> None:
    found = make_filter("riscv64")

    assert isinstance(found, SandboxFailed)
    assert found.message == "no system call filter is known for the architecture riscv64"


def test_the_machine_that_runs_this_has_one() -> None:
    assert platform.machine() in {*ARCHITECTURES, "arm64"}
