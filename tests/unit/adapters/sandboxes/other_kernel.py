"""Starts a command as if on another kernel; run as a program that stands alone.

Words: a system call, the place and the value of the argument that it is told by, the answer that it
gets instead of the kernel's (an error if negative), and the command.
"""

import ctypes
import fcntl
import os
import platform
import select
import struct
import sys

SECCOMP = {"x86_64": 317, "aarch64": 277}
SET_FILTER, NEW_LISTENER = 1, 8
NO_NEW_PRIVILEGES = 38
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
NUMBER_AT, FIRST_AT, EACH = 0, 16, 8
ALLOW, NOTIFY = 0x7FFF0000, 0x7FC00000
RECEIVE, SEND, NOTIFICATION = 0xC0502100, 0xC0182101, 80


class Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def main() -> int:
    number, place, value, answer = (int(word) for word in sys.argv[1:5])
    listener = listening_for(number, place, value)
    child = os.fork()
    if child == 0:
        os.execv(sys.argv[5], sys.argv[5:])  # noqa: S606
    ended = os.pidfd_open(child)
    while ended not in (ready := {at for at, _ in polled(listener, ended)}):
        if listener in ready:
            give(listener, answer)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def listening_for(number: int, place: int, value: int) -> int:
    """From now on, such a call of this process or its children waits for us."""
    steps = (
        (LOAD, 0, 0, NUMBER_AT),
        (IF_EQUAL, 0, 3, number),
        (LOAD, 0, 0, FIRST_AT + place * EACH),
        (IF_EQUAL, 0, 1, value),
        (RETURN, 0, 0, NOTIFY),
        (RETURN, 0, 0, ALLOW),
    )
    kernel = ctypes.CDLL(None, use_errno=True)
    program = Filter(len(steps), b"".join(struct.pack("=HBBI", *step) for step in steps))
    kernel.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call = SECCOMP[platform.machine()]
    listener: int = kernel.syscall(call, SET_FILTER, NEW_LISTENER, ctypes.byref(program))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "no filter")
    return listener


def polled(*descriptors: int) -> list[tuple[int, int]]:
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return poll.poll()


def give(listener: int, answer: int) -> None:
    asked = bytearray(NOTIFICATION)
    fcntl.ioctl(listener, RECEIVE, asked)
    (which,) = struct.unpack_from("Q", asked)
    fcntl.ioctl(listener, SEND, struct.pack("QqiI", which, max(answer, 0), min(answer, 0), 0))


if __name__ == "__main__":
    sys.exit(main())
