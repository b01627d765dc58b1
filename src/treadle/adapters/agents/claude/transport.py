"""Starts one Claude Code process, exchanges messages with it and ends it."""

import asyncio
import errno
import json
import os
import signal
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from shutil import which
from sys import executable, platform
from typing import Any

from treadle.domain.sandbox import ConfinedCommand

# A tool result can be one line of megabytes; beyond this the line is dropped, not the session.
MAX_LINE = 64 * 1024 * 1024
STDERR_LINES = 20
END_OF_INPUT_S = 2.0
TERMINATE_S = 5.0
SLICE_S = 0.1
SYSTEM_FOLDERS = "/usr/bin:/bin:/usr/sbin:/sbin"

# The signal survives an exec, so that a process can ask for it and become the agent. Run as code of
# its own, because what a fork runs in a process with threads can stand still for ever.
_PRCTL_AND_EXEC = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execv(sys.argv[1], sys.argv[1:])"
)


class ProcessTransport:
    """The pipes of one process, whose environment is built from nothing."""

    def __init__(
        self, start: ConfinedCommand, *, directory: Path, max_line: int = MAX_LINE
    ) -> None:
        self._start = start
        self._writing = asyncio.Lock()
        self._directory = directory
        self._max_line = max_line
        self._process: asyncio.subprocess.Process | None = None
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._stderr_task: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Start the process."""
        start = self._start
        try:
            _require_file(start.command[0])
            self._process = await asyncio.create_subprocess_exec(
                *kill_with_parent(list(start.command)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=dict(start.environment),
                cwd=str(self._directory),
                limit=self._max_line,
                start_new_session=True,
                pass_fds=start.descriptors,
            )
        finally:
            for descriptor in start.descriptors:
                os.close(descriptor)
        self._stderr_task = asyncio.create_task(self._read_stderr())

    async def write(self, data: str) -> None:
        """What is said to a process that is gone is lost; the end of its stream tells of it."""
        if self._process is not None and self._process.stdin is not None:
            # Answers are written side by side; the first Python 3.11 let only one writer wait.
            async with self._writing:
                with suppress(ConnectionError):
                    self._process.stdin.write(data.encode())
                    await self._process.stdin.drain()

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """Every line of the output that is a JSON object; others are passed over."""
        assert self._process is not None  # noqa: S101  # only called after connect
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101  # a pipe was asked for
        while line := await _read_line(stdout):
            message = parse_message(line)
            if message is not None:
                yield message

    async def end_input(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    async def kill(self) -> None:
        """End the group at once; `close` sees to the rest."""
        self._signal(signal.SIGKILL)

    async def close(self) -> None:
        """End of input, then SIGTERM, then SIGKILL to the group; each step is bounded."""
        if self._process is None:
            return
        await self.end_input()
        if not await self._wait_for_exit_within(END_OF_INPUT_S):
            self._signal(signal.SIGTERM)
            if not await self._wait_for_exit_within(TERMINATE_S):
                self._signal(signal.SIGKILL)
                await self._wait_for_exit_within(TERMINATE_S)
        if self._stderr_task is not None:
            # Last words may be on their way still; a daemon that holds the pipe has none for us.
            await asyncio.wait({self._stderr_task}, timeout=SLICE_S)
            self._stderr_task.cancel()
            with suppress(asyncio.CancelledError):
                await self._stderr_task
            self._stderr_task = None

    @property
    def exit_code(self) -> int | None:
        return None if self._process is None else self._process.returncode

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def stderr_tail(self) -> str:
        return "\n".join(self._stderr)

    async def wait_for_exit(self) -> None:
        """Wait a moment for an exit code after the stream has ended."""
        if self._process is not None:
            await self._wait_for_exit_within(END_OF_INPUT_S)

    async def _wait_for_exit_within(self, seconds: float) -> bool:
        assert self._process is not None  # noqa: S101  # only called after connect
        # In slices: a waiter is woken only when nobody holds the pipes any more, and a daemon may.
        waiting = asyncio.ensure_future(self._process.wait())
        for _ in range(int(seconds / SLICE_S)):
            await asyncio.wait({waiting}, timeout=SLICE_S)
            if self._process.returncode is not None:
                break
        waiting.cancel()
        return self._process.returncode is not None

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    async def _read_stderr(self) -> None:
        assert self._process is not None  # noqa: S101  # started by connect
        assert self._process.stderr is not None  # noqa: S101  # a pipe was asked for
        while chunk := await self._process.stderr.read(65536):
            self._stderr.extend(chunk.decode(errors="replace").splitlines()[-STDERR_LINES:])


def _require_file(program: str) -> None:
    # Said by us, because in its place another program is started, which becomes it.
    if not Path(program).is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)


async def _read_line(stdout: asyncio.StreamReader) -> bytes:
    """The next line that fits, or nothing at the end."""
    while True:
        try:
            return await stdout.readline()
        except ValueError:
            continue  # the reader has dropped what was too long


def parse_message(line: bytes) -> dict[str, Any] | None:
    """The JSON object on the line, or None for anything else a build may print."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):  # the next line is a fresh start
        return None
    return message if isinstance(message, dict) else None


def error_text(error: Exception) -> str:
    """Why a process could not be started or spoken to, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def kill_with_parent(command: list[str]) -> list[str]:
    """The command with SIGKILL asked for at the end of the thread that starts it. Linux only:
    elsewhere it changes nothing."""
    if not platform.startswith("linux"):
        return command
    return with_death_signal(
        command, setpriv=which("setpriv", path=SYSTEM_FOLDERS), python=executable
    )


def with_death_signal(command: list[str], *, setpriv: str | None, python: str) -> list[str]:
    """By `setpriv`, which takes a millisecond, or by Python, which takes fifteen."""
    # Busybox has a setpriv of its own, which does not know the option.
    if setpriv is not None and Path(setpriv).resolve().name == "setpriv":
        return [setpriv, "--pdeathsig", "KILL", "--", *command]
    return [python, "-I", "-S", "-c", _PRCTL_AND_EXEC, *command]
