"""A command of the project that is ended because of the disk."""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from treadle.adapters.project_commands.command import (
    CommandBounds,
    ProjectCommand,
    run_project_command,
)
from treadle.adapters.sandboxes.command_runner import ProcessResult
from treadle.domain.sandbox import Confinement
from treadle.gateway.sandbox_network import SandboxNetwork

VARIABLES = {"PATH": "/usr/bin:/bin"}
FULL = "only 1 MB are free"


def command(line: str, folder: Path) -> ProjectCommand:
    return ProjectCommand(line, Confinement(folder, folder), seconds=60)


async def test_a_command_ends_when_the_disk_is_full(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "started")

    async def is_full(folders: Sequence[Path]) -> str:
        assert folders == (tmp_path, tmp_path)
        return await asyncio.to_thread((tmp_path / "started").read_text)

    bounds = CommandBounds(None, VARIABLES, {}, "mark", is_full)

    ran = await run_project_command(
        bounds,
        command(f"printf '{FULL}' > started; exec sleep 1000", tmp_path),
        SandboxNetwork("none"),
    )

    assert ran == ProcessResult(-signal.SIGKILL, f"({FULL})\n", exceeded=FULL)


async def test_a_command_with_room_ends_as_it_does(tmp_path: Path) -> None:
    async def never(folders: Sequence[Path]) -> str:
        await asyncio.Event().wait()
        return FULL

    bounds = CommandBounds(None, VARIABLES, {}, "mark", never)

    ran = await run_project_command(
        bounds, command("echo said; exit 3", tmp_path), SandboxNetwork("none")
    )

    assert ran == ProcessResult(3, "said\n")
