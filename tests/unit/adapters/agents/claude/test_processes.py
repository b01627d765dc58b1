"""Processes of a session are found by their mark and ended, wherever they have gone."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import pytest

from tests.unit.adapters.agents.claude.real_sessions import alive
from treadle.adapters.processes.marked_processes import end_marked, kill_marked, marked_processes

pytestmark = pytest.mark.slow

# Of this process alone: tests of other workers must not find ours.
SESSION = str(uuid4())
FOREVER = "tail -f /dev/null"

Started = Callable[[str], Awaitable[int]]


@pytest.fixture
async def started(tmp_path: Path) -> AsyncIterator[Started]:
    """Runs a shell command with the session's mark; it writes the pid to wait for to `$READY`."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    shells: list[asyncio.subprocess.Process] = []

    async def start(command: str) -> int:
        shells.append(
            await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", command),
                env={"PATH": "/usr/bin:/bin", "TREADLE_SESSION": SESSION, "READY": str(ready)},
            )
        )
        return int(await asyncio.to_thread(ready.read_text))

    yield start
    kill_marked(SESSION)
    for shell in shells:
        await shell.wait()


async def test_a_daemon_that_left_its_session_is_found_and_ended(started: Started) -> None:
    pid = await started(f"(setsid sh -c 'echo $$ > \"$READY\"; exec {FOREVER}' &); exit 0")

    left = await end_marked(SESSION)

    assert [(process.pid, process.command) for process in left] == [(pid, FOREVER)]
    assert (alive(pid), marked_processes(SESSION)) == (False, [])


async def test_a_process_that_ignores_a_request_to_end_is_killed(started: Started) -> None:
    pid = await started(f"trap '' TERM; echo $$ > \"$READY\"; exec {FOREVER}")

    left = await end_marked(SESSION)

    assert ([process.pid for process in left], alive(pid)) == ([pid], False)


async def test_a_process_that_ever_becomes_another_program_is_found_at_every_look(
    started: Started, tmp_path: Path
) -> None:
    restless = tmp_path / "restless"
    restless.write_text('exec /bin/sh "$0"\n')
    pid = await started(f'echo $$ > "$READY"; exec /bin/sh {restless}')

    looks = [[process.pid for process in marked_processes(SESSION)] for _ in range(200)]

    assert looks == [[pid]] * 200
    assert [process.pid for process in await end_marked(SESSION)] == [pid]


async def test_a_process_that_is_known_is_ended_but_not_reported(started: Started) -> None:
    pid = await started(f'echo $$ > "$READY"; exec {FOREVER}')

    assert (await end_marked(SESSION, known=(pid,)), alive(pid)) == ([], False)


async def test_killing_asks_nobody(started: Started) -> None:
    pid = await started(f"trap '' TERM; echo $$ > \"$READY\"; exec {FOREVER}")
    ending = os.pidfd_open(pid)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(ending, ended.set)
    kill_marked(SESSION)
    await ended.wait()
    asyncio.get_running_loop().remove_reader(ending)
    os.close(ending)

    assert marked_processes(SESSION) == []


def test_a_zombie_is_not_reported() -> None:
    with subprocess.Popen(
        [sys.executable, "-S", "-c", "pass"], env={"TREADLE_SESSION": SESSION}
    ) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)

        assert marked_processes(SESSION) == []


async def test_processes_of_other_sessions_are_left_alone(started: Started) -> None:
    pid = await started(f'echo $$ > "$READY"; exec {FOREVER}')

    assert (await end_marked(SESSION[:-1]), await end_marked(SESSION + "0")) == ([], [])
    assert alive(pid)


async def test_a_session_that_left_nothing_costs_no_waiting() -> None:
    assert await asyncio.wait_for(end_marked("nobody"), 5) == []
