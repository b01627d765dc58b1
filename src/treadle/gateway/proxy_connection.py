"""One connection through the filtering proxy: reads its request, refuses or forwards it."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

import h11

from treadle.gateway.allowed_hosts import HTTP_PORT, HostRequest, authority
from treadle.gateway.outbound_connection import Streams

MAX_HEAD = 64 * 1024
HEAD_TIMEOUT_S = 30.0
CHUNK_BYTES = 65536
# Those of one connection, and what the proxy itself puts in their place.
_HOP_BY_HOP = frozenset(
    b"connection proxy-connection keep-alive te trailer upgrade expect host"
    b" proxy-authorization proxy-authenticate".split()
)


class TransferLimitReached(Exception):
    """So much was carried that no more is."""


@dataclass(slots=True)
class TransferLimit:
    """What may still be carried in one direction, in bytes, by all connections together."""

    left: int

    def take(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise TransferLimitReached


@dataclass(frozen=True, slots=True)
class TransferLimits:
    """How much may leave the sandbox, and how much may come in."""

    sent: TransferLimit
    received: TransferLimit


class ProxyConnection:
    """The near side: a process in the sandbox that wants to get out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._peer = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        self._request: h11.Request | None = None

    async def read_request_line(self) -> tuple[str, str] | None:
        """The method and the target; None when nobody asks. What is wrong raises h11's error."""
        async with asyncio.timeout(HEAD_TIMEOUT_S):
            event = await self._next_event()
        if not isinstance(event, h11.Request):
            return None
        self._request = event
        return event.method.decode("ascii"), event.target.decode("latin-1")

    async def refuse(self, status: int, reason: str) -> None:
        """Many programs show the first line of an answer alone, so it says why."""
        said = f"Treadle: {reason}".encode("ascii", "replace")
        body = said + b"\n"
        headers = [
            ("content-type", "text/plain"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        try:
            self._send(h11.Response(status_code=status, headers=headers, reason=said))
            self._send(h11.Data(data=body))
            self._send(h11.EndOfMessage())
            await self._writer.drain()
        except (h11.LocalProtocolError, ConnectionError):
            pass  # it left, or had its answer

    async def tunnel(self, far: Streams, caps: TransferLimits) -> None:
        """Carry whatever comes, both ways, to the end."""
        if not isinstance(await self._next_event(), h11.EndOfMessage):
            raise h11.RemoteProtocolError("a CONNECT has no body")
        self._send(h11.Response(status_code=200, headers=[], reason=b"OK"))
        early, _ = self._peer.trailing_data
        reader, writer = far
        caps.sent.take(len(early))
        writer.write(early)
        async with asyncio.TaskGroup() as both:
            both.create_task(_copy_stream(self._reader, writer, caps.sent))
            both.create_task(_copy_stream(reader, self._writer, caps.received))

    async def forward(self, asked: HostRequest, far: Streams, caps: TransferLimits) -> None:
        """Carry one request in the clear and its answer; what follows on this connection is not."""
        reader, writer = far
        async with asyncio.TaskGroup() as both:
            both.create_task(_copy_stream(reader, self._writer, caps.received))
            await self._forward_request(asked, writer, caps.sent)

    async def close(self) -> None:
        """Let the process read what was sent, and see that there is no more."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()

    def abort(self) -> None:
        """It may not be reading, and there is no time to wait."""
        self._writer.transport.abort()

    async def _forward_request(
        self, asked: HostRequest, writer: asyncio.StreamWriter, cap: TransferLimit
    ) -> None:
        request = self._request
        if request is None or asked.target is None:
            return
        peer = h11.Connection(h11.CLIENT)
        event: h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED] = h11.Request(
            method=request.method,
            target=asked.target.encode("latin-1"),
            headers=[
                (b"host", _host_header(asked).encode()),
                *((name, value) for name, value in request.headers if name not in _HOP_BY_HOP),
                (b"connection", b"close"),
            ],
        )
        while isinstance(event, h11.Request | h11.Data | h11.EndOfMessage):
            part = peer.send(event) or b""
            cap.take(len(part))
            writer.write(part)
            await writer.drain()
            if isinstance(event, h11.EndOfMessage):
                return
            event = await self._next_event()
        raise ConnectionAbortedError  # it left in the middle of its request

    async def _next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        while True:
            event = self._peer.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._peer.they_are_waiting_for_100_continue:
                self._send(h11.InformationalResponse(status_code=100, headers=[]))
            self._peer.receive_data(await self._reader.read(CHUNK_BYTES))

    def _send(self, event: h11.Event) -> None:
        self._writer.write(self._peer.send(event) or b"")


async def _copy_stream(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, cap: TransferLimit
) -> None:
    while part := await reader.read(CHUNK_BYTES):
        cap.take(len(part))
        writer.write(part)
        await writer.drain()
    try:
        writer.write_eof()
    except OSError as error:  # the system's word for a connection that is gone by now
        raise ConnectionResetError from error


def _host_header(asked: HostRequest) -> str:
    """As browsers write it: the usual port is left out."""
    return authority(asked).removesuffix(f":{HTTP_PORT}")
