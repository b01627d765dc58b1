"""Speaks the control protocol with the agent: start, hooks, our tools and interruption."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from typing import Any

from treadle.adapters.agents.claude.tool_requests import CLOSE_S, ToolRequests
from treadle.adapters.agents.claude.tool_server import Json
from treadle.adapters.agents.claude.tool_use_hook import HOOKS, answer_hook
from treadle.adapters.agents.claude.transport import ProcessTransport
from treadle.domain.agent import Decide, Tool

INTERRUPT_S = 2.0
CLOSED = "it closed its output instead of answering"


class Control:
    """Our side of the protocol, on the pipes of one process.

    Messages that are not part of it go to `messages`, as they came, with None for the end of the
    stream.
    """

    def __init__(
        self, transport: ProcessTransport, *, decide: Decide, tools: Sequence[Tool] = ()
    ) -> None:
        self.transport = transport
        self._decide = decide
        self._tools = ToolRequests(tools, transport.write)
        self._reading: asyncio.Task[None] | None = None
        self._initialized = False
        # Requests of the agent that are being answered, and ours with the error of each, if any.
        self._answering: dict[str, asyncio.Task[None]] = {}
        self._requests: dict[str, asyncio.Future[str]] = {}
        self.messages: asyncio.Queue[Json | None] = asyncio.Queue()
        self.ended = asyncio.Event()

    async def initialize(self) -> None:
        """Begin to read, and register the hook; raises if the agent refuses or is gone."""
        self._reading = asyncio.create_task(self._read())
        await self._request({"subtype": "initialize", "hooks": HOOKS})
        self._initialized = True

    async def send_prompt(self, prompt: str) -> None:
        await self._send(
            {
                "type": "user",
                "message": {"role": "user", "content": prompt},
                "parent_tool_use_id": None,
                "session_id": "default",
                # Asks for the prompt to be taken as it is written; older binaries do not know it.
                "client_composed": True,
            }
        )

    async def interrupt(self) -> None:
        """Let the agent end its tool and write its transcript, so that it can be resumed."""
        if not self._initialized or self.ended.is_set():
            return
        with suppress(Exception):  # whatever it answers, it is ended next
            async with asyncio.timeout(INTERRUPT_S):
                await self._request({"subtype": "interrupt"})

    async def close(self) -> None:
        """End the conversation, and the process."""
        tasks = set(self._answering.values())
        if self._reading is not None:
            tasks.add(self._reading)
        for task in tasks:
            task.cancel()
        await self.transport.close()
        await self._tools.close()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_S)

    async def _read(self) -> None:
        try:
            with suppress(OSError):  # a pipe that breaks is the end of the stream
                async for message in self.transport.read_messages():
                    await self._handle(message)
        finally:
            self.ended.set()
            self.messages.put_nowait(None)
            for request in self._requests:
                self._resolve(request, CLOSED)

    async def _handle(self, message: Json) -> None:
        if await self._tools.handle(message):
            return
        match message:
            case {
                "type": "control_request",
                "request_id": str(name),
                "request": {"subtype": str()} as request,
            }:
                self._begin_answer(name, request)
            case {"type": "control_response", "response": {"request_id": str(name)} as response}:
                self._resolve(name, _error_in(response))
            case {"type": "control_cancel_request", "request_id": str(name)}:
                if name in self._answering:
                    self._answering[name].cancel()
            case _:
                self.messages.put_nowait(message)

    def _begin_answer(self, name: str, request: Mapping[str, Any]) -> None:
        # A request that is being answered is not begun again.
        if name not in self._answering:
            task = asyncio.create_task(self._answer(name, request))
            self._answering[name] = task
            task.add_done_callback(lambda _: self._answering.pop(name))

    async def _answer(self, name: str, request: Mapping[str, Any]) -> None:
        match request["subtype"]:
            case "hook_callback":
                answer = await answer_hook(self._decide, request)
                response = {"subtype": "success", "request_id": name, "response": answer}
            case subtype:
                error = f"Unsupported control request subtype: {subtype}"
                response = {"subtype": "error", "request_id": name, "error": error}
        await self._send({"type": "control_response", "response": response})

    async def _request(self, request: Json) -> None:
        """Ask the agent for something, and wait until it has answered or closed its output."""
        if self.ended.is_set():
            raise ConnectionError(CLOSED)
        name = f"req_{token_hex(8)}"
        self._requests[name] = asyncio.get_running_loop().create_future()
        try:
            await self._send({"type": "control_request", "request_id": name, "request": request})
            if error := await self._requests[name]:
                raise ConnectionError(error)
        finally:
            del self._requests[name]

    def _resolve(self, name: str, error: str) -> None:
        answered = self._requests.get(name)
        if answered is not None and not answered.done():
            answered.set_result(error)

    async def _send(self, message: Json) -> None:
        await self.transport.write(f"{json.dumps(message)}\n")


def _error_in(response: Mapping[str, Any]) -> str:
    if response.get("subtype") != "error":
        return ""
    return str(response.get("error") or "Unknown error")
