"""Our tools as an agent meets them: listed, called, and every mistake told in words."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import ClientSession
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp.types import TextContent, jsonrpc_message_adapter

from treadle.adapters.agents.claude.tool_server import answer_message
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

    assert await answer_message(TOOLS, asked) == expected


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

    assert await answer_message(TOOLS, asked) == {
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
        ({"id": 2.5, "method": "ping"}, {"jsonrpc": "2.0", "id": 2.5, "result": {}}),
        ({"id": [3], "method": "ping"}, None),
        ({}, None),
    ],
)
async def test_only_what_wants_an_answer_gets_one(
    asked: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    assert await answer_message(TOOLS, asked) == expected


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
                if reply := await answer_message(TOOLS, asked):
                    parsed = jsonrpc_message_adapter.validate_python(reply)
                    await outgoing.send(SessionMessage(parsed))

        serving = asyncio.create_task(serve())
        try:
            async with ClientSession(*ours) as client:
                yield client
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
