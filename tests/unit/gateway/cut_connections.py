"""A program in the sandbox that asks at the session's socket, and leaves before the answer ends."""

import asyncio
import json
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.unit.gateway.gateway_harness import ASKED, GatewayHarness

Leave = Callable[[asyncio.StreamWriter], None]


@dataclass(frozen=True, slots=True)
class Cut:
    """How a connection is cut: after which bytes of the answer, if any, and how it is left."""

    after: bytes
    leave: Leave


def close(writer: asyncio.StreamWriter) -> None:
    writer.close()


def reset(writer: asyncio.StreamWriter) -> None:
    """Leave without having read what had come."""
    writer.transport.abort()


def end_sending(writer: asyncio.StreamWriter) -> None:
    """Say that nothing more will be sent, as a careless client does, and go."""
    writer.write_eof()
    writer.close()


def linger(writer: asyncio.StreamWriter) -> None:
    writer.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
    )
    writer.close()


async def ask_and_leave(harness: GatewayHarness, cut: Cut, **changes: Any) -> int:
    """Ask once; the status if the gateway answered with an error of its own, else 200."""
    body = json.dumps(ASKED | changes).encode()
    head = f"POST /v1/messages HTTP/1.1\r\nhost: gateway\r\ncontent-length: {len(body)}\r\n\r\n"
    reader, writer = await asyncio.open_unix_connection(str(harness.socket))
    writer.write(head.encode() + body)
    arrived = asyncio.ensure_future(harness.api.wait_for_requests(harness.api.request_count + 1))
    answer = asyncio.ensure_future(_read_to(reader, cut.after))
    waited_for = {answer} if cut.after else {answer, arrived}
    await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
    status = int(answer.result().split(b" ", 2)[1]) if answer.done() else 200
    for task in (arrived, answer):
        task.cancel()
    cut.leave(writer)
    return status


async def _read_to(reader: asyncio.StreamReader, mark: bytes) -> bytes:
    """The answer up to this mark, or to the end of one of the gateway's own."""
    read = b""
    while (mark or b"\r\n\r\n") not in read and b'"error"' not in read:
        chunk = await reader.read(4096)
        if not chunk:
            break
        read += chunk
    return read
