"""Runs the user's own hooks: one process each, confined or not, in bounded time."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TypeAlias

from treadle.domain.sandbox import Confined, SandboxFailed
from treadle.policy.user_hooks import HookEnded, files_of
from treadle.workflows.guard import RunHook

# A hook is asked before every use of a tool; one that thinks longer holds everything up.
HOOK_S = 60.0
_MOST_STDERR = 16 * 1024
# A pipe holds less than this many pieces.
_MOST_LOOKS = 100

# How to start a command, or why it cannot be started.
Start: TypeAlias = Callable[[Sequence[str]], Confined | SandboxFailed]


def hook_files(commands: Sequence[str], workspace: Path) -> tuple[str, ...]:
    """Files of the workspace that the user's hooks are made of: no agent changes them."""
    return tuple(name for name in files_of(commands) if (workspace / name).is_file())


def unconfined(environment: Mapping[str, str]) -> Start:
    """With the user's rights: for runs that a person wanted without a sandbox."""

    def start(command: Sequence[str]) -> Confined:
        return Confined(tuple(command), environment)

    return start


def hook_runner(start: Start, *, directory: Path, seconds: float = HOOK_S) -> RunHook:
    """Runs a hook as a shell line in a directory; whatever goes wrong is how it ended."""

    async def run(command: str, given: bytes) -> HookEnded:
        started = start(("/bin/sh", "-c", command))
        if isinstance(started, SandboxFailed):
            return HookEnded(None, started.message)
        try:
            with _listening() as stderr:
                code = await _exit_code(started, directory, given, stderr.writing, seconds)
                said = stderr.said()
        except OSError as error:
            return HookEnded(None, str(error))
        if code is None:
            return HookEnded(None, f"no answer within {seconds:g} s")
        return HookEnded(code, said)

    return run


async def _exit_code(
    started: Confined, directory: Path, given: bytes, stderr: int, seconds: float
) -> int | None:
    """None if it was still running when its time was over; nothing of it is left in any case."""
    process = await _process(started, directory, given, stderr)
    try:
        async with asyncio.timeout(seconds):
            return await process.wait()
    except TimeoutError:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _process(
    started: Confined, directory: Path, given: bytes, stderr: int
) -> asyncio.subprocess.Process:
    try:
        # A file, so that nobody waits for a hook that does not read.
        with TemporaryFile() as stdin:
            stdin.write(given)
            stdin.seek(0)
            return await asyncio.create_subprocess_exec(
                *started.command,
                cwd=directory,
                env=dict(started.environment),
                stdin=stdin,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=started.descriptors,
                start_new_session=True,
            )
    finally:
        for descriptor in started.descriptors:
            os.close(descriptor)


@dataclass(frozen=True, slots=True)
class _Ear:
    """Takes in all that a hook says, and keeps the beginning of it."""

    reading: int
    writing: int
    heard: bytearray

    def hear(self) -> bool:
        """Whether there was something to hear."""
        try:
            more = os.read(self.reading, _MOST_STDERR)
        except BlockingIOError:
            return False
        self.heard.extend(more[: _MOST_STDERR - len(self.heard)])
        return bool(more)

    def said(self) -> str:
        """All of it that is there by now."""
        for _ in range(_MOST_LOOKS):
            if not self.hear():
                break
        return self.heard.decode(errors="replace")


@contextmanager
def _listening() -> Iterator[_Ear]:
    loop = asyncio.get_running_loop()
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    ear = _Ear(reading, writing, bytearray())
    loop.add_reader(reading, ear.hear)
    try:
        yield ear
    finally:
        loop.remove_reader(reading)
        os.close(reading)
        os.close(writing)
