"""Reads the output of git in pieces, so that no size of it costs memory."""

import asyncio
import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

from treadle.workspace.git import Git, GitFailed

T = TypeVar("T")

_PIECE = 1 << 20
# No name of a file and no header that git prints is longer than that in honest work.
_LONGEST_FIELD = 1 << 16


class OutputPieces:
    """The output of a command; reading fails if git is silent for longer than its time limit."""

    def __init__(self, descriptor: int, limit_s: float) -> None:
        self._descriptor = descriptor
        self._limit_s = limit_s
        self._buffer = b""

    def next_piece(self) -> bytes:
        """Some bytes, or none at the end."""
        if self._buffer:
            piece, self._buffer = self._buffer, b""
            return piece
        ready, _, _ = select.select([self._descriptor], [], [], self._limit_s)
        if not ready:
            raise GitFailed(
                f"git printed nothing for {self._limit_s:g} s and was ended",
                hint="see whether the disk is slow, or another program holds a lock there",
            )
        return os.read(self._descriptor, _PIECE)

    def next_field(self, end: bytes) -> bytes | None:
        """The text up to the byte `end`; None at the end of the output."""
        field = bytearray()
        while piece := self.next_piece():
            text, found, rest = piece.partition(end)
            field += text
            if len(field) > _LONGEST_FIELD:
                raise GitFailed("git printed a name that is too long for a file")
            if found:
                self._buffer = rest
                return bytes(field)
        return None

    def next_bytes(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes, in pieces."""
        while size:
            piece = self.next_piece()
            if not piece:
                raise GitFailed("the output of git ended too early")
            piece, self._buffer = piece[:size], piece[size:]
            size -= len(piece)
            yield piece


async def read_pieces(
    git: Git,
    read: Callable[[OutputPieces], T],
    *pipeline: tuple[str, ...],
    stdin: int = subprocess.DEVNULL,
) -> T:
    """Run commands as a pipeline, and return what `read` makes of the last one's output."""
    processes = _start_pipeline(git, pipeline, stdin)
    output = processes[-1].stdout
    if output is None:
        raise AssertionError("a pipe was asked for")
    pieces = OutputPieces(output.fileno(), git.limit_s)
    reading = asyncio.ensure_future(asyncio.to_thread(read, pieces))
    try:
        result = await asyncio.shield(reading)
        await asyncio.to_thread(_require_success, git, pipeline, processes)
        return result
    finally:
        for process in processes:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        if not reading.done():
            await asyncio.wait({reading})
        for process in processes:
            process.communicate()


def _start_pipeline(
    git: Git, pipeline: tuple[tuple[str, ...], ...], stdin: int
) -> list["subprocess.Popen[bytes]"]:
    processes: list[subprocess.Popen[bytes]] = []
    for command in pipeline:
        before = processes[-1].stdout if processes else None
        processes.append(git.start(*command, stdin=stdin if before is None else before.fileno()))
        if before is not None:
            # Only the next command reads it, so the one before learns if that ends.
            before.close()
    return processes


def _require_success(
    git: Git, pipeline: tuple[tuple[str, ...], ...], processes: list["subprocess.Popen[bytes]"]
) -> None:
    """Raise if a command failed: its output is not complete then."""
    for command, process in zip(pipeline, processes, strict=True):
        try:
            exit_code = process.wait(git.limit_s)
        except subprocess.TimeoutExpired:
            exit_code = None
        if exit_code != 0:
            raise GitFailed(
                f"git {command[0]} failed in {git.directory}",
                hint="see `git fsck` there, fix it, then start again",
            )
