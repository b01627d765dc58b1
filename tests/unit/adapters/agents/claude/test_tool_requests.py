"""Requests for our tools on the pipe: answered side by side, called off, none after the end."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from treadle.adapters.agents.claude.tool_requests import MAX_CONCURRENT, ToolRequests
from treadle.domain.agent import Tool, ToolReply


class Patient:
    """A tool that takes its time, and tells how each call of it ended."""

    def __init__(self) -> None:
        self.began: asyncio.Queue[None] = asyncio.Queue()
        self.may_end = asyncio.Event()
        self.ended: asyncio.Queue[str] = asyncio.Queue()

    async def call(self, _: Mapping[str, Any]) -> ToolReply:
        self.began.put_nowait(None)
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.ended.put_nowait("called off")
            raise
        self.ended.put_nowait("done")
        return ToolReply("done")

    def tool(self) -> Tool:
        return Tool("wait", "Waits.", {"type": "object"}, self.call)


class Pipe:
    """Requests for one tool as they come from an agent, and what goes back to it."""

    def __init__(self) -> None:
        self.patient = Patient()
        self.written: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.requests = ToolRequests((self.patient.tool(),), self._write)

    async def _write(self, data: str) -> None:
        assert data.endswith("\n")
        self.written.put_nowait(json.loads(data))

    async def ask(self, request: str, message: dict[str, Any], server: str = "treadle") -> bool:
        inner = {"subtype": "mcp_message", "server_name": server, "message": message}
        return await self.requests.handle(
            {"type": "control_request", "request_id": request, "request": inner}
        )

    async def give_up(self, request: str) -> bool:
        return await self.requests.handle({"type": "control_cancel_request", "request_id": request})

    async def at_work(self, request: str = "r1", number: int = 7) -> None:
        """A call of the tool that has begun."""
        assert await self.ask(request, call(number))
        await self.patient.began.get()

    def unread(self) -> list[dict[str, Any]]:
        return [self.written.get_nowait() for _ in range(self.written.qsize())]


@pytest.fixture
async def pipe() -> Pipe:
    return Pipe()


def call(number: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "wait"}}


def cancelled(number: int) -> dict[str, Any]:
    return {"method": "notifications/cancelled", "params": {"requestId": number}}


def replied(request: str, reply: dict[str, Any]) -> dict[str, Any]:
    response = {
        "subtype": "success",
        "request_id": request,
        "response": {"mcp_response": {"jsonrpc": "2.0", **reply}},
    }
    return {"type": "control_response", "response": response}


def done(request: str, number: int) -> dict[str, Any]:
    result = {"content": [{"type": "text", "text": "done"}], "isError": False}
    return replied(request, {"id": number, "result": result})


def taken(request: str) -> dict[str, Any]:
    return replied(request, {"result": {}})


PING = {"jsonrpc": "2.0", "id": 8, "method": "ping"}
PONG = replied("r2", {"id": 8, "result": {}})
GIVEN_UP = replied("r1", {"id": 7, "error": {"code": -32800, "message": "Request cancelled"}})


async def test_a_tool_that_takes_its_time_holds_up_no_other_request(pipe: Pipe) -> None:
    await pipe.at_work()
    assert await pipe.ask("r2", PING)
    first = await pipe.written.get()
    pipe.patient.may_end.set()

    assert [first, await pipe.written.get()] == [PONG, done("r1", 7)]


async def test_a_request_the_agent_gives_up_is_called_off_without_an_answer(pipe: Pipe) -> None:
    await pipe.at_work()

    assert await pipe.give_up("r1")
    assert await pipe.patient.ended.get() == "called off"
    assert not await pipe.give_up("r1")
    await pipe.requests.close()
    assert pipe.unread() == []


async def test_a_call_the_protocol_cancels_is_called_off_and_answered_so_once(pipe: Pipe) -> None:
    await pipe.at_work()

    await pipe.ask("r2", cancelled(7))
    assert await pipe.patient.ended.get() == "called off"
    await pipe.ask("r3", cancelled(7))

    wanted = [GIVEN_UP, taken("r2"), taken("r3")]
    assert [await pipe.written.get() for _ in wanted] == wanted


async def test_a_request_cannot_cancel_itself(pipe: Pipe) -> None:
    await pipe.ask("r2", {"id": 8, **cancelled(8)})

    error = {"code": -32601, "message": "Method not found: notifications/cancelled"}
    assert await pipe.written.get() == replied("r2", {"id": 8, "error": error})


async def test_a_request_that_is_being_answered_is_not_begun_again(pipe: Pipe) -> None:
    await pipe.at_work()
    assert await pipe.ask("r1", call(9))
    pipe.patient.may_end.set()

    assert await pipe.written.get() == done("r1", 7)
    await pipe.requests.close()
    assert (pipe.unread(), pipe.patient.began.qsize()) == ([], 0)


async def test_nothing_is_at_work_once_the_pipe_is_closed_and_nothing_begins(pipe: Pipe) -> None:
    await pipe.at_work("r1", 7)
    await pipe.at_work("r2", 8)

    await pipe.requests.close()
    assert await pipe.ask("r3", PING)
    await asyncio.sleep(0)

    ends = [pipe.patient.ended.get_nowait() for _ in range(pipe.patient.ended.qsize())]
    assert (ends, pipe.unread()) == (["called off"] * 2, [])


async def test_an_agent_that_asks_too_much_at_once_waits(pipe: Pipe) -> None:
    for number in range(MAX_CONCURRENT):
        await pipe.at_work(f"c{number}", number)

    more = asyncio.create_task(pipe.ask("r2", PING))
    await asyncio.sleep(0)
    assert (more.done(), pipe.unread()) == (False, [])
    await pipe.give_up("c0")

    assert await more
    assert await pipe.written.get() == PONG
    await pipe.requests.close()


@pytest.mark.parametrize(
    "message",
    [
        {"type": "control_request", "request_id": "r", "request": {"subtype": "hook_callback"}},
        {"type": "control_request", "request_id": "r", "request": {"subtype": "mcp_message"}},
        {"type": "control_response", "response": {"request_id": "r"}},
        {"type": "control_cancel_request", "request_id": "r"},
        {"type": "assistant"},
    ],
)
async def test_what_is_not_for_our_tools_is_left_to_others(
    pipe: Pipe, message: dict[str, Any]
) -> None:
    assert not await pipe.requests.handle(message)


async def test_another_servers_requests_are_left_to_others(pipe: Pipe) -> None:
    assert not await pipe.ask("r", PING, server="browser")
