"""The socket of our tools answers the agent, and holds a bounded part of what programs send."""

import asyncio
import json
from contextlib import suppress

from treadle.adapters.agents.claude.tool_socket import MOST_CONNECTIONS, ToolSocket

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n"


async def is_answered(connection: Connection) -> bool:
    reader, writer = connection
    with suppress(ConnectionError):
        writer.write(PING)
        return bool(await reader.readline())
    return False


async def test_more_connections_than_an_agent_needs_are_closed_at_once() -> None:
    server = ToolSocket(())
    await server.open()
    try:
        many = [
            await asyncio.open_unix_connection(server.path) for _ in range(MOST_CONNECTIONS + 3)
        ]
        answers = [await is_answered(each) for each in many]
        for _, writer in many:
            writer.close()
    finally:
        await server.close()

    assert answers == [True] * MOST_CONNECTIONS + [False] * 3


async def test_a_connection_that_ends_makes_room_for_another() -> None:
    server = ToolSocket(())
    await server.open()
    try:
        for _ in range(3 * MOST_CONNECTIONS):
            reader, writer = await asyncio.open_unix_connection(server.path)
            assert await is_answered((reader, writer))
            writer.write_eof()
            assert await reader.read() == b""
            writer.close()
    finally:
        await server.close()
