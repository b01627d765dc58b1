"""Serves our tools on a unix socket, for an agent whose own streams belong to a terminal."""

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treadle.adapters.agents.claude.tool_server import answer_message
from treadle.domain.agent import Tool

# Where the agent finds the socket.
INSIDE = "/run/treadle/tools.sock"
# A message is one line; an agent that sends more is not answered any more.
LONGEST_LINE = 4 * 1024 * 1024
# At once: each may hold two such lines in our memory.
MOST_CONNECTIONS = 4

# Runs inside as the agent's tool server, and carries its lines to the socket and back.
_CONNECTOR = """
import os, socket, sys, threading
tools = socket.socket(socket.AF_UNIX)
tools.connect(sys.argv[1])
def send():
    while data := os.read(0, 65536):
        tools.sendall(data)
    tools.shutdown(socket.SHUT_WR)
threading.Thread(target=send, daemon=True).start()
while data := tools.recv(65536):
    while data:
        data = data[os.write(1, data):]
"""


def connector(python: Path) -> dict[str, Any]:
    """The tool server as the agent is told to start it."""
    return {"type": "stdio", "command": str(python), "args": ["-IS", "-c", _CONNECTOR, INSIDE]}


class ToolSocket:
    """Listens from `open` to `close`."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = tools
        self._server: asyncio.Server | None = None
        # Short, because the path of a socket must be.
        self._folder = Path(tempfile.mkdtemp(prefix="treadle-"))
        self._answering: set[asyncio.Task[None]] = set()

    @property
    def path(self) -> Path:
        return self._folder / "tools.sock"

    async def open(self) -> None:
        self._server = await asyncio.start_unix_server(
            self._serve, path=self.path, limit=LONGEST_LINE
        )
        # The folder is the owner's alone; inside, the agent may have another user id.
        os.chmod(self.path, 0o666)  # noqa: S103, PTH101

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in tuple(self._answering):
            task.cancel()
        if self._answering:
            await asyncio.wait(self._answering)
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if len(self._answering) >= MOST_CONNECTIONS:
            writer.close()
            return
        if task is not None:
            self._answering.add(task)
        try:
            while line := await reader.readline():
                answer = await self._answer(line)
                if answer is not None:
                    writer.write(json.dumps(answer).encode() + b"\n")
                    await writer.drain()
        except (ConnectionError, ValueError):
            pass  # it left, or its line is longer than any message
        finally:
            writer.close()
            if task is not None:
                self._answering.discard(task)

    async def _answer(self, line: bytes) -> dict[str, Any] | None:
        try:
            asked = json.loads(line)
        except (ValueError, RecursionError):
            return None
        return await answer_message(self._tools, asked) if isinstance(asked, dict) else None
