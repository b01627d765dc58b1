"""Runs one command to its end, sandboxed or not, with limits for its time and its output."""

import asyncio
import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import mkstemp
from typing import Literal, TypeAlias

from treadle.adapters.host_variables import host_variables
from treadle.adapters.sandboxes.bubblewrap_report import read_first_process
from treadle.adapters.sandboxes.cgroup_files import read_exceeded, remove_ended_group
from treadle.adapters.sandboxes.init_process import (
    GONE_S,
    NOT_GONE,
    find_init_process,
    wait_until_gone,
)
from treadle.domain.sandbox import ConfinedCommand, SandboxFailed

# How much of the end of each stream is kept.
MAX_OUTPUT = 64 * 1024
# Of a stream that is captured whole: so much of its beginning, and as much of its end.
MAX_AT_EITHER_END = 4 << 20
# A pipe holds less than this, so the loop ends even if some process keeps writing.
_READ_BYTES = 16 * 1024
_MAX_READS = 100
# Nobody can write such a file any more, grow it or take the seals off.
_READ_ONLY = 0xF

# joined: both streams as one text; whole: the same with a larger limit; apart: both streams, each
# as its own text; output, errors: only that stream.
Capture: TypeAlias = Literal["joined", "whole", "apart", "output", "errors"]
ReadFailure: TypeAlias = Callable[[Path, str], SandboxFailed | None]


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """How a command ended; the exit code is None if it ran out of time."""

    exit_code: int | None
    output: str
    error_output: str = ""
    # Why the command did not run in its sandbox, or that its processes are still there.
    sandbox_failure: SandboxFailed | None = None
    # What the limits of its sandbox did to its programs; empty: nothing.
    exceeded: str = ""


async def run_to_end(
    start: ConfinedCommand,
    *,
    directory: Path,
    seconds: float,
    stdin: bytes = b"",
    capture: Capture = "joined",
    failure: ReadFailure | None = None,
) -> ProcessResult:
    """Runs the command with `stdin` as its standard input, or with /dev/null.

    When the command ends, runs out of time or the caller is cancelled, its process group is killed.
    Other processes that hold its output open are not waited for. The sandbox's report and its
    control group are removed at the end; `failure` reads the report first.
    """
    try:
        with _open_pipes(capture) as pipes:
            code = await _exit_code(start, directory, stdin, pipes, seconds)
            gone = await _is_gone(start)
            exceeded = read_exceeded(start.group)
            output, errors = pipes.output.read_text(), pipes.errors.read_text()
        failed = None if gone else SandboxFailed(NOT_GONE)
        # A sandbox that was killed had no time to write its report.
        if failure is not None and start.report is not None and code is not None and code >= 0:
            failed = failed or failure(start.report, errors or output)
        return ProcessResult(code, output, errors, failed, exceeded)
    finally:
        if start.report is not None:
            # Also if the caller was cancelled, which may then run git in the same directory.
            await _is_gone(start)
            start.report.unlink(missing_ok=True)
        await remove_ended_group(start.group)


async def query_program(start: ConfinedCommand, *, seconds: float) -> str | None:
    """The standard output of a program; None if it fails, does not start or takes too long.

    It does not run in the project, whose files could name another program to run instead, and
    loads nothing from folders that the user's variables name for programs of the project.
    """
    own = replace(start, environment=host_variables(start.environment))
    try:
        ran = await run_to_end(own, directory=Path("/"), seconds=seconds, capture="output")
    except OSError:
        return None
    return ran.output if ran.exit_code == 0 else None


@dataclass(slots=True)
class _PipeReader:
    """Reads one pipe and keeps the beginning and the end of what it read. A stream that is not
    captured has no pipe."""

    read_end: int = -1
    write_end: int = asyncio.subprocess.DEVNULL
    max_first: int = 0
    max_last: int = MAX_OUTPUT
    first: bytearray = field(default_factory=bytearray)
    last: bytearray = field(default_factory=bytearray)
    dropped: int = 0

    def read_more(self) -> bool:
        """Whether there was something to read."""
        try:
            more = os.read(self.read_end, _READ_BYTES)
        except BlockingIOError:
            return False
        room = self.max_first - len(self.first)
        self.first.extend(more[:room])
        self.last.extend(more[room:])
        excess = max(0, len(self.last) - self.max_last)
        self.dropped += excess
        del self.last[:excess]
        return bool(more)

    def read_text(self) -> str:
        """All output up to now."""
        for _ in range(_MAX_READS if self.read_end >= 0 else 0):
            if not self.read_more():
                break
        # The redaction of secrets recognizes a cut by this text.
        cut = f"\n… ({self.dropped} more) …\n" if self.first and self.dropped else ""
        return (self.first + cut.encode() + self.last).decode(errors="replace")


@dataclass(frozen=True, slots=True)
class _Pipes:
    output: _PipeReader
    errors: _PipeReader
    joined: bool


@contextmanager
def _open_pipes(capture: Capture) -> Iterator[_Pipes]:
    loop = asyncio.get_running_loop()
    closed = _PipeReader()
    whole = _PipeReader(max_first=MAX_AT_EITHER_END, max_last=MAX_AT_EITHER_END)
    output = closed if capture == "errors" else _open_pipe(whole if capture == "whole" else closed)
    errors = _open_pipe(closed) if capture in ("apart", "errors") else closed
    opened = [reader for reader in (output, errors) if reader.read_end >= 0]
    for reader in opened:
        loop.add_reader(reader.read_end, reader.read_more)
    try:
        yield _Pipes(output, errors, joined=capture in ("joined", "whole"))
    finally:
        for reader in opened:
            loop.remove_reader(reader.read_end)
            os.close(reader.read_end)
            os.close(reader.write_end)


def _open_pipe(closed: _PipeReader) -> _PipeReader:
    # Not asyncio's own pipes: waiting for a process would wait until those are closed, too.
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    return replace(
        closed, read_end=read_end, write_end=write_end, first=bytearray(), last=bytearray()
    )


async def _exit_code(
    start: ConfinedCommand, directory: Path, stdin: bytes, pipes: _Pipes, seconds: float
) -> int | None:
    """None if the command ran out of time. Its process group is killed in any case."""
    process = await _start(start, directory, stdin, pipes)
    try:
        async with asyncio.timeout(seconds):
            return await process.wait()
    except TimeoutError:
        return None
    finally:
        # A sandbox ends with its first process; without a sandbox there is only the group.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _is_gone(start: ConfinedCommand) -> bool:
    """Whether no process is left in the sandbox, which ends shortly after its command."""
    if start.report is None:
        return True
    first = find_init_process(read_first_process(start.report))
    return await wait_until_gone(first, within_s=GONE_S)


async def _start(
    start: ConfinedCommand, directory: Path, stdin: bytes, pipes: _Pipes
) -> asyncio.subprocess.Process:
    try:
        with _open_stdin(stdin) as descriptor:
            return await asyncio.create_subprocess_exec(
                *start.command,
                cwd=directory,
                env=dict(start.environment),
                stdin=descriptor,
                stdout=pipes.output.write_end,
                stderr=asyncio.subprocess.STDOUT if pipes.joined else pipes.errors.write_end,
                pass_fds=start.descriptors,
                start_new_session=True,
            )
    finally:
        for descriptor in start.descriptors:
            os.close(descriptor)


@contextmanager
def _open_stdin(content: bytes) -> Iterator[int]:
    """The input of a command. It is no file on a disk of the host, which the command could fill."""
    if not content:
        yield asyncio.subprocess.DEVNULL
        return
    # A file and not a pipe, which blocks if the command does not read it.
    if sys.platform == "linux":
        descriptor = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    else:
        descriptor, path = mkstemp()
        Path(path).unlink()
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        if sys.platform == "linux":
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _READ_ONLY)
        yield descriptor
    finally:
        os.close(descriptor)
