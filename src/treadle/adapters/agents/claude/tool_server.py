"""Implements the MCP server `treadle`, which offers our tools to the agent."""

from collections.abc import Mapping, Sequence
from typing import Any

from treadle.domain.agent import OWN_SERVER, Tool, ToolReply

# The four requests that are served here read the same in all of them. A client that wants another
# is offered the newest, as the protocol says.
KNOWN_PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")

METHOD_NOT_FOUND = -32601

Json = dict[str, Any]


async def answer_message(tools: Sequence[Tool], asked: Mapping[str, Any]) -> Json | None:
    """The reply to one message of JSON-RPC, or None for one that wants none."""
    match asked:
        case {"id": str() | int() | float() as number, "method": str(method)}:
            return {"jsonrpc": "2.0", "id": number} | await _handle_method(
                tools, method, _params(asked)
            )
        case _:
            return None


async def _handle_method(tools: Sequence[Tool], method: str, params: Mapping[str, Any]) -> Json:
    match method:
        case "initialize":
            return {"result": _initialize_result(params.get("protocolVersion"))}
        case "ping":
            return {"result": {}}
        case "tools/list":
            return {"result": {"tools": [_describe_tool(tool) for tool in tools]}}
        case "tools/call":
            return {"result": _as_result(await _call_tool(tools, params))}
        case _:
            return {"error": {"code": METHOD_NOT_FOUND, "message": f"Method not found: {method}"}}


def _initialize_result(wanted: object) -> Json:
    return {
        "protocolVersion": wanted if wanted in KNOWN_PROTOCOLS else KNOWN_PROTOCOLS[-1],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": OWN_SERVER, "version": "1.0.0"},
    }


def _describe_tool(tool: Tool) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": dict(tool.schema),
    }


async def _call_tool(tools: Sequence[Tool], params: Mapping[str, Any]) -> ToolReply:
    """Whatever is wrong with a call, or goes wrong in it, is for the model to read.

    Each tool looks at what it is given by itself, and says what it wants in its own words.
    """
    name, arguments = params.get("name"), params.get("arguments")
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        known = ", ".join(tool.name for tool in tools)
        return ToolReply(f"There is no tool {name!r}. Known: {known}.", is_error=True)
    if arguments is not None and not isinstance(arguments, dict):
        return ToolReply("The arguments must be an object.", is_error=True)
    try:
        return await tool.call(arguments or {})
    except Exception as error:  # the agent goes on without the tool, and reads why
        return ToolReply(f"{tool.name} failed: {error}", is_error=True)


def _as_result(reply: ToolReply) -> Json:
    return {"content": [{"type": "text", "text": reply.text}], "isError": reply.is_error}


def _params(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    params = asked.get("params")
    return params if isinstance(params, dict) else {}
