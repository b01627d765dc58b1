"""Our tools as an agent meets them: listed, called, and every mistake told in words."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import ClientSession
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp.types import TextContent, jsonrpc_message_adapter

from treadle.adapters.agents.claude.tool_requests import ToolRequests
from treadle.adapters.agents.claude.tool_server import answer
from treadle.domain.agent import Tool, ToolReply

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


async def greet(given: Mapping[str, Any]) -> ToolReply:
    if "name" not in given:
        return ToolReply("Pass `name`.", is_error=True)
    return ToolReply(f"hello {given['name']}")


async def stumble(_: Mapping[str, Any]) -> ToolReply:
    raise ValueError("no floor")


TOOLS = (Tool("greet", "Greets.", SCHEMA, greet), Tool("stumble", "Falls.", SCHEMA, stumble))


def said(text: str, *, is_error: bool) -> dict[str, Any]:
    result = {"content": [{"type": "text", "text": text}], "isError": is_error}
    return {"jsonrpc": "2.0", "id": 7, "result": result}


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"name": "greet", "arguments": {"name": "Ada"}}, said("hello Ada", is_error=False)),
        ({"name": "greet", "arguments": {}}, said("Pass `name`.", is_error=True)),
        ({"name": "greet", "arguments": None}, said("Pass `name`.", is_error=True)),
        ({"name": "greet"}, said("Pass `name`.", is_error=True)),
        (
            {"name": "greet", "arguments": ["Ada"]},
            said("The arguments must be an object.", is_error=True),
        ),
        ({"name": "stumble"}, said("stumble failed: no floor", is_error=True)),
        ({"name": "jump"}, said("There is no tool 'jump'. Known: greet, stumble.", is_error=True)),
        (
            {"name": ["greet"]},
            said("There is no tool ['greet']. Known: greet, stumble.", is_error=True),
        ),
        (None, said("There is no tool None. Known: greet, stumble.", is_error=True)),
    ],
)
async def test_what_is_wrong_with_a_call_is_for_the_model_to_read(
    params: object, expected: object
) -> None:
    asked = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}

    assert await answer(TOOLS, asked) == expected


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2099-01-01", "2025-11-25"),
        (None, "2025-11-25"),
    ],
)
async def test_a_version_of_the_protocol_that_is_not_known_is_answered_with_the_newest(
    wanted: object, given: str
) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    asked["params"] = {"protocolVersion": wanted}

    assert await answer(TOOLS, asked) == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "protocolVersion": given,
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": {"name": "treadle", "version": "1.0.0"},
        },
    }


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"method": "ping", "id": "a"}, {"jsonrpc": "2.0", "id": "a", "result": {}}),
        (
            {"method": "resources/list", "id": 2},
            {
                "jsonrpc": "2.0",
                "id": 2,
                "error": {"code": -32601, "message": "Method not found: resources/list"},
            },
        ),
        ({"method": "notifications/initialized"}, None),
        ({"id": 3, "result": {}}, None),
        ({"id": [3], "method": "ping"}, None),
        ({}, None),
    ],
)
async def test_only_what_wants_an_answer_gets_one(
    asked: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    assert await answer(TOOLS, asked) == expected


async def test_the_protocols_own_client_finds_and_calls_our_tools() -> None:
    async with a_client() as client:
        await client.initialize()
        listed = await client.list_tools()
        called = await client.call_tool("greet", {"name": "Ada"})
        failed = await client.call_tool("greet", {})

    assert [(tool.name, tool.description, tool.input_schema) for tool in listed.tools] == [
        ("greet", "Greets.", SCHEMA),
        ("stumble", "Falls.", SCHEMA),
    ]
    texts = [(reply.is_error, *reply.content) for reply in (called, failed)]
    assert texts == [
        (False, TextContent(type="text", text="hello Ada")),
        (True, TextContent(type="text", text="Pass `name`.")),
    ]


@asynccontextmanager
async def a_client() -> AsyncIterator[ClientSession]:
    async with create_client_server_memory_streams() as (ours, (incoming, outgoing)):

        async def serve() -> None:
            async for message in incoming:
                assert isinstance(message, SessionMessage)
                asked = message.message.model_dump(by_alias=True, mode="json", exclude_none=True)
                if reply := await answer(TOOLS, asked):
                    parsed = jsonrpc_message_adapter.validate_python(reply)
                    await outgoing.send(SessionMessage(parsed))

        serving = asyncio.create_task(serve())
        try:
            async with ClientSession(*ours) as client:
                yield client
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


class Pipe:
    """Requests for tools as they come from an agent, and what goes back to it."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self.written: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.requests = ToolRequests(tools, self._write)

    async def _write(self, data: str) -> None:
        assert data.endswith("\n")
        self.written.put_nowait(json.loads(data))

    def ask(self, request: str, message: dict[str, Any], server: str = "treadle") -> bool:
        inner = {"subtype": "mcp_message", "server_name": server, "message": message}
        return self.requests.take(
            {"type": "control_request", "request_id": request, "request": inner}
        )

    def waiting(self) -> list[dict[str, Any]]:
        return [self.written.get_nowait() for _ in range(self.written.qsize())]


def replied(request: str, reply: dict[str, Any]) -> dict[str, Any]:
    response = {"subtype": "success", "request_id": request, "response": {"mcp_response": reply}}
    return {"type": "control_response", "response": response}


CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "wait"}}
GREETING = {"jsonrpc": "2.0", "id": 8, "method": "ping"}


class Patient:
    """A tool that takes its time, and tells how it ended."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.may_end = asyncio.Event()
        self.ends: list[str] = []

    async def call(self, _: Mapping[str, Any]) -> ToolReply:
        self.began.set()
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.ends.append("called off")
            raise
        self.ends.append("done")
        return ToolReply("done")

    def tool(self) -> Tool:
        return Tool("wait", "Waits.", {"type": "object"}, self.call)


async def test_a_tool_that_takes_its_time_holds_up_no_other_request() -> None:
    patient = Patient()
    pipe = Pipe((patient.tool(),))

    assert pipe.ask("r1", CALL)
    await patient.began.wait()
    assert pipe.ask("r2", GREETING)
    first = await pipe.written.get()
    patient.may_end.set()

    assert first == replied("r2", {"jsonrpc": "2.0", "id": 8, "result": {}})
    assert await pipe.written.get() == replied("r1", said("done", is_error=False))


async def test_a_request_the_agent_gives_up_is_called_off_without_an_answer() -> None:
    patient = Patient()
    pipe = Pipe((patient.tool(),))
    pipe.ask("r1", CALL)
    await patient.began.wait()

    assert pipe.requests.take({"type": "control_cancel_request", "request_id": "r1"})
    await pipe.requests.close()

    assert not pipe.requests.take({"type": "control_cancel_request", "request_id": "r1"})
    assert (patient.ends, pipe.waiting()) == (["called off"], [])


async def test_a_call_the_protocol_cancels_is_called_off_and_answered_so() -> None:
    patient = Patient()
    pipe = Pipe((patient.tool(),))
    pipe.ask("r1", CALL)
    await patient.began.wait()

    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 7}}
    pipe.ask("r2", {"jsonrpc": "2.0", **cancelled})

    error = {"code": -32800, "message": "Request cancelled"}
    assert [await pipe.written.get(), await pipe.written.get()] == [
        replied("r1", {"jsonrpc": "2.0", "id": 7, "error": error}),
        replied("r2", {"jsonrpc": "2.0", "result": {}}),
    ]
    assert patient.ends == ["called off"]


async def test_what_is_at_work_when_the_pipe_closes_is_called_off() -> None:
    patient = Patient()
    pipe = Pipe((patient.tool(),))
    pipe.ask("r1", CALL)
    await patient.began.wait()

    await pipe.requests.close()

    assert (patient.ends, pipe.waiting()) == (["called off"], [])


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
async def test_what_is_not_for_our_tools_is_left_to_others(message: dict[str, Any]) -> None:
    assert not Pipe(TOOLS).requests.take(message)


async def test_another_servers_requests_are_left_to_others() -> None:
    assert not Pipe(TOOLS).ask("r", GREETING, server="browser")
