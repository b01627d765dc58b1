"""When a process can no longer act, and how long that is waited for."""

import os
import resource
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treadle.adapters.sandboxes.process_exit import can_act, process_family, wait_until_inactive

WAITING = "import sys; print('up', flush=True); sys.stdin.read()"
# Its first thread ends, by a system call that ends only that thread; another one runs on.
HEADLESS = """
import ctypes, sys, threading
def work():
    print("up", flush=True)
    sys.stdin.read()
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall({exit_thread}, 0)
"""
EXIT_THREAD = 60 if os.uname().machine == "x86_64" else 93


@contextmanager
def process(code: str = WAITING) -> Iterator["subprocess.Popen[bytes]"]:
    """Runs Python, which has printed `up` and ends when its input does."""
    started = subprocess.Popen(
        [sys.executable, "-I", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert started.stdout is not None
    try:
        assert started.stdout.readline() == b"up\n"
        yield started
    finally:
        started.kill()
        started.communicate()


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def below(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def became(pid: int, state: str) -> bool:
    for _ in range(6000):
        if state_of(pid) == state:
            return True
        select.select([], [], [], 0.01)
    return False


def test_a_running_process_can_act() -> None:
    with process() as running:
        assert can_act(running.pid)


def test_a_process_that_has_ended_cannot_act_even_as_a_zombie() -> None:
    with process() as ended:
        ended.kill()
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        zombie = (state_of(ended.pid), can_act(ended.pid))
        ended.wait()

        assert (zombie, can_act(ended.pid)) == (("Z", False), False)


def test_a_process_can_act_if_only_its_first_thread_has_ended() -> None:
    with process(HEADLESS.format(exit_thread=EXIT_THREAD)) as headless:
        assert became(headless.pid, "Z")
        assert can_act(headless.pid)
        assert headless.pid in process_family(os.getpid())


def test_a_family_is_a_process_and_its_descendants() -> None:
    inner = "subprocess.Popen([sys.executable, '-I', '-c', 'import sys; sys.stdin.read()'])"
    with process(f"import subprocess, sys; child = {inner}; {WAITING}") as parent:
        children = process_family(parent.pid) & set(below(parent.pid))

        assert len(children) == 1
        assert {parent.pid, *children, os.getpid()} <= process_family(os.getpid())


async def test_waiting_for_a_running_process_fails() -> None:
    with process() as running:
        assert not await wait_until_inactive(frozenset((running.pid,)), within_s=0)


async def test_waiting_for_a_killed_process_succeeds() -> None:
    with process() as killed:
        killed.kill()

        assert await wait_until_inactive(frozenset((killed.pid,)), within_s=60)


async def test_a_process_that_is_found_later_must_end_too() -> None:
    with process() as killed, process() as late:
        killed.kill()
        known, family = frozenset((killed.pid,)), frozenset((killed.pid, late.pid))
        assert await wait_until_inactive(known, within_s=60)
        meanwhile = await wait_until_inactive(known, lambda: family, within_s=0)
        late.kill()

        assert (meanwhile, await wait_until_inactive(known, lambda: family, within_s=60)) == (
            *(False, True),
        )


async def test_a_process_outside_of_the_family_is_not_waited_for() -> None:
    with process() as stranger:
        known = frozenset((stranger.pid,))

        assert await wait_until_inactive(known, frozenset, within_s=60)


def test_a_process_that_cannot_be_inspected_counts_as_able_to_act() -> None:
    with process() as running:
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
        try:
            found = can_act(running.pid)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    assert found
