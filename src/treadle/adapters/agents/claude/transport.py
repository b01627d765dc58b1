"""Starts one Claude Code process, exchanges messages with it and ends it."""

import asyncio
import errno
import json
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treadle.adapters.agents.claude.parent_death import kill_with_parent
from treadle.adapters.agents.claude.tool_requests import ToolRequests
from treadle.domain.agent import Tool
from treadle.domain.sandbox import ConfinedCommand

if TYPE_CHECKING:
    from claude_agent_sdk import Transport
else:
    # The SDK asks for these methods, not for the class; it loads while the agent comes up.
    Transport = object

# A tool result can be one line of megabytes; beyond this the line is dropped, not the session.
MAX_LINE = 64 * 1024 * 1024
STDERR_LINES = 20
END_OF_INPUT_S = 2.0
TERMINATE_S = 5.0
SLICE_S = 0.1


class ProcessTransport(Transport):
    """Spawns the process itself, because its environment must be built from nothing.

    The SDK is given the control protocol, without what is asked of our tools, and nothing else: its
    own parser knows only the messages of its release, and gives up on one that it does not expect.
    All others go to `messages`, as they came, with None for the end of the stream.
    """

    def __init__(
        self,
        start: ConfinedCommand,
        *,
        directory: Path,
        tools: Sequence[Tool] = (),
        max_line: int = MAX_LINE,
    ) -> None:
        self._start = start
        self._requests = ToolRequests(tools, self.write)
        self._writing = asyncio.Lock()
        self._directory = directory
        self._max_line = max_line
        self.messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self.ended = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._stderr_task: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Start the process, once: the SDK asks for it again."""
        if self._process is not None:
            return
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
            # The SDK writes, and so do our tools; the first Python 3.11 let only one of them wait.
            async with self._writing:
                with suppress(ConnectionError):
                    self._process.stdin.write(data.encode())
                    await self._process.stdin.drain()

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        assert self._process is not None  # noqa: S101  # the SDK connects before it reads
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101  # a pipe was asked for
        try:
            while line := await _read_line(stdout):
                message = parse_message(line)
                if message is None:
                    continue
                if not is_control_message(message):
                    self.messages.put_nowait(message)
                elif not await self._requests.handle(message):
                    yield message
        finally:
            self.ended.set()
            self.messages.put_nowait(None)

    def is_ready(self) -> bool:
        return self._process is not None and self._process.returncode is None

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
        await self._requests.close()
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


def is_control_message(message: Mapping[str, Any]) -> bool:
    """Whether the message belongs to the SDK, and has the shape that the SDK relies on."""
    match message:
        case {"type": "control_request", "request_id": str(), "request": {"subtype": str()}}:
            return True
        case {"type": "control_response", "response": {"request_id": str()}}:
            return True
        case {"type": "control_cancel_request", "request_id": str()}:
            return True
        case _:
            return False
