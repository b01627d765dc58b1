"""Runs one command to its end, in the way a sandbox said; bounded in time and in its output."""

import asyncio
import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.sandbox import Confined

# What is kept of the output: its end.
MOST_OUTPUT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended; no exit code if its time was over first."""

    exit_code: int | None
    output: str


async def run_to_end(start: Confined, *, directory: Path, seconds: float) -> Ran:
    """Standard output and error as one text; every process that the command started is ended."""
    process = await _start(start, directory)
    reading = asyncio.ensure_future(_tail(process))
    try:
        async with asyncio.timeout(seconds):
            output = await asyncio.shield(reading)
            return Ran(await process.wait(), output)
    except TimeoutError:
        _kill(process)
        return Ran(None, await reading)
    finally:
        # The sandbox ends with its first process; without one, the group is all there is.
        _kill(process)
        await process.wait()
        reading.cancel()


async def _start(start: Confined, directory: Path) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *start.command,
            cwd=directory,
            env=dict(start.environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            pass_fds=start.descriptors,
            start_new_session=True,
        )
    finally:
        for descriptor in start.descriptors:
            os.close(descriptor)


async def _tail(process: asyncio.subprocess.Process) -> str:
    kept = b""
    assert process.stdout is not None  # noqa: S101  # a pipe was asked for
    while part := await process.stdout.read(65536):
        kept = (kept + part)[-MOST_OUTPUT:]
    return kept.decode(errors="replace")


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
