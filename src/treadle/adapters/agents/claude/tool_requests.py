"""Answers the agent's requests for our tools, each in a task that can be cancelled."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from treadle.adapters.agents.claude.tool_server import Json, answer_message
from treadle.domain.agent import OWN_SERVER, Tool

CANCELLED = {"code": -32800, "message": "Request cancelled"}
# A notification gets no reply, but the request that carried it is waited for.
ACKNOWLEDGED: Json = {"jsonrpc": "2.0", "result": {}}
# An agent that asks for more before it has read its answers waits.
MAX_CONCURRENT = 64
CLOSE_S = 5.0

Write = Callable[[str], Awaitable[None]]


class ToolRequests:
    """The requests of one session that are being answered."""

    def __init__(self, tools: Sequence[Tool], write: Write) -> None:
        self._tools = tools
        self._write = write
        self._tasks: set[asyncio.Task[None]] = set()
        # By the request of the pipe: the number that the protocol of the tools has for it, too.
        self._open: dict[str, tuple[object, asyncio.Task[None]]] = {}
        self._closed = False

    async def handle(self, message: Mapping[str, Any]) -> bool:
        """Whether the message was for our tools; then nobody else needs to see it."""
        match message:
            case {
                "type": "control_request",
                "request_id": str(request),
                "request": {
                    "subtype": "mcp_message",
                    "server_name": name,
                    "message": dict(asked),
                },
            } if name == OWN_SERVER:
                await self._begin(request, asked)
                return True
            case {"type": "control_cancel_request", "request_id": str(request)}:
                return self._cancel(request)
            case _:
                return False

    async def close(self) -> None:
        """Nobody waits for an answer any more, and nothing new is begun."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_S)

    async def _begin(self, request: str, asked: Mapping[str, Any]) -> None:
        while len(self._tasks) >= MAX_CONCURRENT:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        # A request that is being answered is not begun again.
        if self._closed or request in self._open:
            return
        task = asyncio.create_task(self._serve(request, asked))
        self._tasks.add(task)
        self._open[request] = asked.get("id"), task
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, request: str, asked: Mapping[str, Any]) -> None:
        match asked:
            case {"id": _}:
                pass
            case {"method": "notifications/cancelled", "params": {"requestId": number}}:
                await self._cancel_by_number(number)
            case _:
                pass
        reply = await answer_message(self._tools, asked) or ACKNOWLEDGED
        # From here on it cannot be called off: an answer is on its way.
        if self._open.pop(request, None) is not None:
            await self._reply(request, reply)

    async def _cancel_by_number(self, number: object) -> None:
        found = [each for each, (known, _) in self._open.items() if known == number]
        for request in filter(self._cancel, found):
            error = {"jsonrpc": "2.0", "id": number, "error": CANCELLED}
            await self._reply(request, error)

    def _cancel(self, request: str) -> bool:
        """Whether there was something to give up; nobody waits for an answer to it."""
        _, task = self._open.pop(request, (None, None))
        return task is not None and task.cancel()

    async def _reply(self, request: str, reply: Json) -> None:
        response = {
            "subtype": "success",
            "request_id": request,
            "response": {"mcp_response": reply},
        }
        line = json.dumps({"type": "control_response", "response": response})
        await self._write(f"{line}\n")
