"""A minimal HTTP/1.1 for one loopback client: reads a request, writes a response."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from treadle.rehearsal.response_steps import SendHead

MAX_BODY = 256 * 1024 * 1024
LAST_CHUNK = b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    method: str
    path: str  # without the query
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def keeps_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


@dataclass(frozen=True, slots=True)
class MalformedRequest:
    """The client sent no valid HTTP/1.1 request."""

    reason: str


async def read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> HttpRequest | MalformedRequest | None:
    """Read the next request; None if the client disconnects."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    except asyncio.LimitOverrunError:
        return MalformedRequest("the head of the request is too long")
    head = parse_head(raw)
    if isinstance(head, MalformedRequest):
        return head
    if head.headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    try:
        body = await _read_body(reader, head.headers)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    if isinstance(body, MalformedRequest):
        return body
    return HttpRequest(head.method, head.path, head.headers, body)


def parse_head(raw: bytes) -> HttpRequest | MalformedRequest:
    """Parse the request line and headers; the body is empty."""
    lines = raw.decode("utf-8", "surrogateescape").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        return MalformedRequest("the first line is not that of an HTTP/1.1 request")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        if line:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
    if words[2] == "HTTP/1.0":
        headers.setdefault("connection", "close")
    return HttpRequest(words[0], words[1].partition("?")[0], headers, b"")


async def _read_body(
    reader: asyncio.StreamReader, headers: Mapping[str, str]
) -> bytes | MalformedRequest:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return await _read_chunks(reader)
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or int(length) > MAX_BODY:
        return MalformedRequest("content-length is not a number this server takes")
    return await reader.readexactly(int(length))


async def _read_chunks(reader: asyncio.StreamReader) -> bytes | MalformedRequest:
    parts: list[bytes] = []
    total = 0
    while True:
        try:
            size = int((await reader.readline()).split(b";")[0], 16)
        except ValueError:
            return MalformedRequest("a chunk has no size")
        total += size
        if size < 0 or total > MAX_BODY:
            return MalformedRequest("the body is larger than this server takes")
        parts.append((await reader.readexactly(size + 2))[:size])
        if size == 0:
            return b"".join(parts)


def encode_head(head: SendHead, *, keeps_alive: bool) -> bytes:
    """The bytes of the status line and headers."""
    try:
        phrase = HTTPStatus(head.status).phrase
    except ValueError:  # 529 is not a standard status
        phrase = "Error"
    lines = [f"HTTP/1.1 {head.status} {phrase}"]
    lines += [f"{name}: {value}" for name, value in head.headers.items()]
    lines.append(
        "transfer-encoding: chunked" if head.length is None else f"content-length: {head.length}"
    )
    lines.append(f"connection: {'keep-alive' if keeps_alive else 'close'}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def encode_chunk(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"
