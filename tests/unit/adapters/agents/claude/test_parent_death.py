"""An agent does not outlive us, even when we are killed; what its tools left is ended later."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.adapters.agents.claude.real_sessions import (
    BUNDLED,
    GIVEN,
    REPOSITORY,
    alive,
    api_of,
    brief_in,
)
from treadle.adapters.agents.claude.transport import SYSTEM_FOLDERS, with_death_signal
from treadle.adapters.processes.marked_processes import end_lost, marked_processes

pytestmark = pytest.mark.slow

SETPRIV = shutil.which("setpriv", path=SYSTEM_FOLDERS)
FOREVER = ["/bin/sh", "-c", "echo up; exec tail -f /dev/null"]
Wrap = Callable[[list[str]], list[str]]

# Starts a command, tells its process id, and waits for a death that is not its own.
PARENT = """
import json, subprocess, sys
child = subprocess.Popen(json.loads(sys.argv[1]))
print(child.pid, flush=True)
child.wait()
"""
# Opens a session and reads it, as a run does.
DRIVER = """
import asyncio, json, sys
from dataclasses import replace
from pathlib import Path
from tests.unit.adapters.agents.claude.real_sessions import brief_in
from treadle.adapters.agents.claude.agent import ClaudeAgent

async def drive(binary, place, session, environment):
    brief = replace(brief_in(Path(place)), session=session)
    opened = await ClaudeAgent(Path(binary), environment, verbatim=True).open(brief)
    async for event in opened.events():
        pass

asyncio.run(drive(*json.loads(sys.argv[1])))
"""


def by_setpriv(command: list[str]) -> list[str]:
    return with_death_signal(command, setpriv=SETPRIV, python=sys.executable)


def by_python(command: list[str]) -> list[str]:
    return with_death_signal(command, setpriv=None, python=sys.executable)


async def ended(pid: int) -> None:
    """Wait for the end of a process that is not a child of ours."""
    watched, over = os.pidfd_open(pid), asyncio.Event()
    asyncio.get_running_loop().add_reader(watched, over.set)
    await over.wait()
    asyncio.get_running_loop().remove_reader(watched)
    os.close(watched)


async def started(script: str, argument: object) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, json.dumps(argument)),
        env={"PATH": GIVEN["PATH"], "PYTHONPATH": str(REPOSITORY)},
        stdout=asyncio.subprocess.PIPE,
    )


@pytest.mark.parametrize("wrap", [by_setpriv, by_python])
async def test_a_command_dies_with_the_process_that_started_it(wrap: Wrap) -> None:
    parent = await started(PARENT, wrap(FOREVER))
    assert parent.stdout is not None
    told = sorted([await parent.stdout.readline(), await parent.stdout.readline()])
    child = int(told[0])
    parent.kill()
    await ended(child)

    assert (await parent.stdout.read(), await parent.wait(), alive(child)) == (b"", -9, False)


def test_a_setpriv_that_is_another_program_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "busybox").touch()
    (tmp_path / "setpriv").symlink_to("busybox")
    command = with_death_signal(["claude"], setpriv=str(tmp_path / "setpriv"), python="/python")

    assert (command[0], command[-1]) == ("/python", "claude")


async def test_a_run_that_is_killed_takes_the_agent_along_and_its_tool_is_found_later(
    tmp_path: Path,
) -> None:
    command = "echo $$ > pid; exec tail -f pid"
    async with api_of(f"{{tool: Bash, input: {{command: '{command}'}}}}") as api:
        brief = brief_in(tmp_path)
        os.mkfifo(brief.workspace / "pid")
        environment = {**GIVEN, "ANTHROPIC_BASE_URL": api.base_url}
        driver = await started(DRIVER, [str(BUNDLED), str(tmp_path), brief.session, environment])
        tool = int(await asyncio.to_thread((brief.workspace / "pid").read_text))
        marked = {process.pid: process.command for process in marked_processes(brief.session)}
        driver.kill()
        (agent,) = [pid for pid, command in marked.items() if command.startswith(str(BUNDLED))]
        await asyncio.gather(ended(agent), driver.communicate())

    left = await end_lost(["another", brief.session])
    assert tool in [process.pid for process in left]
    assert (alive(agent), alive(tool), marked_processes(brief.session)) == (False, False, [])


async def test_nothing_is_ended_for_no_session() -> None:
    assert (await end_lost([]), await end_lost(["nobody"])) == ([], [])
