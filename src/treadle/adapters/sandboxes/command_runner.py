"""Runs one command to its end, sandboxed or not, and limits its time, its output and what it"""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Literal, TypeAlias

from treadle.adapters.sandboxes.bubblewrap_report import read_first_process
from treadle.adapters.sandboxes.init_process import (
    GONE_S,
    NOT_GONE,
    find_init_process,
    wait_until_gone,
)
from treadle.domain.sandbox import ConfinedCommand, SandboxFailed

# What is kept of each stream: its end.
MOST_OUTPUT = 64 * 1024
# Of one that is wanted whole: this much of its beginning, and as much of its end.
MOST_AT_EITHER_END = 4 << 20
# A pipe holds less than this many pieces, and who still writes is not waited for.
_READ_BYTES = 16 * 1024
_MAX_READS = 100

# joined: both streams as one text; whole: the same, with far more of it; apart: each by itself;
# output, errors: that one alone.
Capture: TypeAlias = Literal["joined", "whole", "apart", "output", "errors"]
ReadFailure: TypeAlias = Callable[[Path, str], SandboxFailed | None]


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """How a command ended; no exit code if its time was over first."""

    exit_code: int | None
    output: str
    error_output: str = ""
    # Why it never ran in its sandbox, if somebody asked for it and that is so; or that its
    # processes are still there.
    sandbox_failure: SandboxFailed | None = None


async def run_to_end(
    start: ConfinedCommand,
    *,
    directory: Path,
    seconds: float,
    given: bytes = b"",
    hears: Capture = "joined",
    failure: ReadFailure | None = None,
) -> ProcessResult:
    """Runs it with `given` on its standard input. When it ends, or its time is over, or whoever
    waits is cancelled, its group is ended with it, and nothing else that holds its output open is
    waited for. The sandbox's report is removed; `failure` reads it first."""
    try:
        with _open_pipes(hears) as ears:
            code = await _exit_code(start, directory, given, ears, seconds)
            gone = await _is_gone(start)
            output, complaint = ears.output.read_text(), ears.errors.read_text()
        failed = None if gone else SandboxFailed(NOT_GONE)
        # One that was killed had no time to write its report.
        if failure is not None and start.report is not None and code is not None and code >= 0:
            failed = failed or failure(start.report, complaint or output)
        return ProcessResult(code, output, complaint, failed)
    finally:
        if start.report is not None:
            # Also when whoever waited was cancelled: what comes next may be git in the same tree.
            await _is_gone(start)
            start.report.unlink(missing_ok=True)


async def query_program(start: ConfinedCommand, *, seconds: float) -> str | None:
    """What a program says on its output; None if it fails, does not start or takes too long.

    It is not asked in the project: files there could name another program to be run instead.
    """
    try:
        ran = await run_to_end(start, directory=Path("/"), seconds=seconds, hears="output")
    except OSError:
        return None
    return ran.output if ran.exit_code == 0 else None


@dataclass(slots=True)
class _PipeReader:
    """Takes in all that is said on one pipe, and keeps its two ends; a stream that nobody wants
    has none."""

    reading: int = -1
    writing: int = asyncio.subprocess.DEVNULL
    most_first: int = 0
    most_last: int = MOST_OUTPUT
    first: bytearray = field(default_factory=bytearray)
    last: bytearray = field(default_factory=bytearray)
    left_out: int = 0

    def read_more(self) -> bool:
        """Whether there was something to hear."""
        try:
            more = os.read(self.reading, _READ_BYTES)
        except BlockingIOError:
            return False
        room = self.most_first - len(self.first)
        self.first.extend(more[:room])
        self.last.extend(more[room:])
        beyond = max(0, len(self.last) - self.most_last)
        self.left_out += beyond
        del self.last[:beyond]
        return bool(more)

    def read_text(self) -> str:
        """All of it that is there by now."""
        for _ in range(_MAX_READS if self.reading >= 0 else 0):
            if not self.read_more():
                break
        # In the words by which whoever looks for secrets knows a cut.
        told = f"\n… ({self.left_out} more) …\n" if self.first and self.left_out else ""
        return (self.first + told.encode() + self.last).decode(errors="replace")


@dataclass(frozen=True, slots=True)
class _Pipes:
    output: _PipeReader
    errors: _PipeReader
    joined: bool


@contextmanager
def _open_pipes(hears: Capture) -> Iterator[_Pipes]:
    loop = asyncio.get_running_loop()
    nobody = _PipeReader()
    whole = _PipeReader(most_first=MOST_AT_EITHER_END, most_last=MOST_AT_EITHER_END)
    output = nobody if hears == "errors" else _open_pipe(whole if hears == "whole" else nobody)
    errors = _open_pipe(nobody) if hears in ("apart", "errors") else nobody
    opened = [ear for ear in (output, errors) if ear.reading >= 0]
    for ear in opened:
        loop.add_reader(ear.reading, ear.read_more)
    try:
        yield _Pipes(output, errors, joined=hears in ("joined", "whole"))
    finally:
        for ear in opened:
            loop.remove_reader(ear.reading)
            os.close(ear.reading)
            os.close(ear.writing)


def _open_pipe(kind: _PipeReader) -> _PipeReader:
    # Our own pipes: an end that is waited for with asyncio's would wait for theirs, too.
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    return replace(kind, reading=reading, writing=writing, first=bytearray(), last=bytearray())


async def _exit_code(
    start: ConfinedCommand, directory: Path, given: bytes, ears: _Pipes, seconds: float
) -> int | None:
    """None if it was still running when its time was over; nothing of it is left in any case."""
    process = await _start(start, directory, given, ears)
    try:
        async with asyncio.timeout(seconds):
            return await process.wait()
    except TimeoutError:
        return None
    finally:
        # The sandbox ends with its first process; without one, the group is all there is.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _is_gone(start: ConfinedCommand) -> bool:
    """Whether nothing is left in its sandbox, which dies a moment after what was started."""
    if start.report is None:
        return True
    first = find_init_process(read_first_process(start.report))
    return await wait_until_gone(first, within_s=GONE_S)


async def _start(
    start: ConfinedCommand, directory: Path, given: bytes, ears: _Pipes
) -> asyncio.subprocess.Process:
    try:
        # A file, so that nobody waits for a command that does not read.
        with TemporaryFile() as stdin:
            stdin.write(given)
            stdin.seek(0)
            return await asyncio.create_subprocess_exec(
                *start.command,
                cwd=directory,
                env=dict(start.environment),
                stdin=stdin,
                stdout=ears.output.writing,
                stderr=asyncio.subprocess.STDOUT if ears.joined else ears.errors.writing,
                pass_fds=start.descriptors,
                start_new_session=True,
            )
    finally:
        for descriptor in start.descriptors:
            os.close(descriptor)
