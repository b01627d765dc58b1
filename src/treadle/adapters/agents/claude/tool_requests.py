"""Requests for our tools on the agent's pipe: each is answered in a task, or called off."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from treadle.adapters.agents.claude.tool_server import Json, answer
from treadle.domain.agent import OWN_SERVER, Tool

CALLED_OFF = {"code": -32800, "message": "Request cancelled"}
# A notification gets no reply, but the request that carried it is waited for.
TAKEN: Json = {"jsonrpc": "2.0", "result": {}}

Write = Callable[[str], Awaitable[None]]


class ToolRequests:
    """Stands between the pipe and the SDK, which could serve our tools too, but at the price of a
    library that is larger than the rest of it."""

    def __init__(self, tools: Sequence[Tool], write: Write) -> None:
        self._tools = tools
        self._write = write
        # By the request of the pipe: the number that the protocol of the tools has for it, too.
        self._at_work: dict[str, tuple[object, asyncio.Task[None]]] = {}

    def take(self, message: Mapping[str, Any]) -> bool:
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
                self._begin(request, asked)
                return True
            case {"type": "control_cancel_request", "request_id": str(request)}:
                return self._drop(request)
            case _:
                return False

    async def close(self) -> None:
        """Nobody waits for an answer any more."""
        tasks = [task for _, task in self._at_work.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, request: str, asked: Mapping[str, Any]) -> None:
        task = asyncio.create_task(self._serve(request, asked))
        self._at_work[request] = asked.get("id"), task
        task.add_done_callback(lambda _: self._at_work.pop(request, None))

    async def _serve(self, request: str, asked: Mapping[str, Any]) -> None:
        match asked:
            case {
                "method": "notifications/cancelled",
                "params": {"requestId": str() | int() as number},
            }:
                await self._call_off(number)
            case _:
                pass
        await self._reply(request, await answer(self._tools, asked) or TAKEN)

    async def _call_off(self, number: object) -> None:
        found = [each for each, (known, _) in self._at_work.items() if known == number]
        for request in filter(self._drop, found):
            error = {"jsonrpc": "2.0", "id": number, "error": CALLED_OFF}
            await self._reply(request, error)

    def _drop(self, request: str) -> bool:
        """Whether there was something to give up; nobody waits for an answer to it."""
        _, task = self._at_work.get(request, (None, None))
        return task is not None and task.cancel()

    async def _reply(self, request: str, reply: Json) -> None:
        response = {
            "subtype": "success",
            "request_id": request,
            "response": {"mcp_response": reply},
        }
        line = json.dumps({"type": "control_response", "response": response})
        await self._write(f"{line}\n")
