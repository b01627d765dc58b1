"""A model service that keeps the headers of what it was asked, and always says the same, but to
those whose key it refuses."""

import asyncio
import json
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

EVENTS = (
    '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant",'
    '"content":[],"model":"claude-sonnet-5-5","stop_reason":null,'
    '"usage":{"input_tokens":5,"output_tokens":1}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"done"}}',
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":6}}',
    '{"type":"message_stop"}',
)
REFUSAL = b'{"type":"error","error":{"type":"authentication_error","message":"no"}}'


@dataclass
class RecordedHeads:
    """The address of the service, and every request's line and headers, in lower case."""

    url: str
    lines: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def of_each(self, *names: str) -> list[dict[str, str]]:
        """These headers of every request, as far as it had them."""
        return [{name: head[name] for name in names if name in head} for head in self.headers]


@asynccontextmanager
async def record_heads(
    refused: Collection[str] = (), status: str = "401 Unauthorized"
) -> AsyncIterator[RecordedHeads]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip().split("\r\n")
        pairs = dict(line.split(": ", 1) for line in head[1:])
        seen.lines.append(head[0])
        seen.headers.append({name.lower(): value for name, value in pairs.items()})
        await reader.readexactly(int(seen.headers[-1].get("content-length", 0)))
        is_refused = seen.headers[-1].get("x-api-key") in refused
        body = REFUSAL if is_refused else "".join(map(_written, EVENTS)).encode()
        told = f"content-type: text/event-stream\r\ncontent-length: {len(body)}"
        line = status if is_refused else "200 OK"
        writer.write(f"HTTP/1.1 {line}\r\nconnection: close\r\n{told}\r\n\r\n".encode() + body)
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    seen = RecordedHeads(f"http://{host}:{port}")
    async with server:
        yield seen


def _written(event: str) -> str:
    return f"event: {json.loads(event)['type']}\ndata: {event}\n\n"
