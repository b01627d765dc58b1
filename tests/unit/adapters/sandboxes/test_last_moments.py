"""A process can do nothing any more from the moment on in which each of its threads is ending."""

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
# Its first thread ends (by the system call that ends one alone), another one goes on.
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
    """One that runs Python, is up, and ends when its input does."""
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


def test_one_that_runs_can() -> None:
    with process() as running:
        assert can_act(running.pid)


def test_one_that_has_ended_cannot_whether_or_not_somebody_asked_for_its_exit_code() -> None:
    with process() as ended:
        ended.kill()
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        unasked = (state_of(ended.pid), can_act(ended.pid))
        ended.wait()

        assert (unasked, can_act(ended.pid)) == (("Z", False), False)


def test_one_whose_first_thread_has_ended_can_if_another_runs() -> None:
    with process(HEADLESS.format(exit_thread=EXIT_THREAD)) as headless:
        assert became(headless.pid, "Z")
        assert can_act(headless.pid)
        assert headless.pid in process_family(os.getpid())


def test_a_family_is_a_process_and_all_below_it() -> None:
    inner = "subprocess.Popen([sys.executable, '-I', '-c', 'import sys; sys.stdin.read()'])"
    with process(f"import subprocess, sys; child = {inner}; {WAITING}") as parent:
        children = process_family(parent.pid) & set(below(parent.pid))

        assert len(children) == 1
        assert {parent.pid, *children, os.getpid()} <= process_family(os.getpid())


async def test_who_lives_is_waited_for_in_vain() -> None:
    with process() as running:
        assert not await wait_until_inactive(frozenset((running.pid,)), within_s=0)


async def test_who_was_killed_is_waited_for() -> None:
    with process() as killed:
        killed.kill()

        assert await wait_until_inactive(frozenset((killed.pid,)), within_s=60)


async def test_who_is_found_late_has_to_end_too() -> None:
    with process() as killed, process() as late:
        killed.kill()
        known, family = frozenset((killed.pid,)), frozenset((killed.pid, late.pid))
        assert await wait_until_inactive(known, within_s=60)
        meanwhile = await wait_until_inactive(known, lambda: family, within_s=0)
        late.kill()

        assert (meanwhile, await wait_until_inactive(known, lambda: family, within_s=60)) == (
            *(False, True),
        )


async def test_who_turns_out_not_to_belong_to_them_is_not_waited_for() -> None:
    with process() as stranger:
        known = frozenset((stranger.pid,))

        assert await wait_until_inactive(known, frozenset, within_s=60)


def test_what_cannot_be_looked_at_may_act() -> None:
    with process() as running:
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
        try:
            unseen = can_act(running.pid)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    assert unseen
