"""One connection through the filtering proxy: reads its request, refuses or forwards it."""

import asyncio
import ssl
from contextlib import suppress
from dataclasses import dataclass, replace

import h11

from treadle.gateway.allowed_hosts import HTTP_PORT, HostRefused, HostRequest, authority
from treadle.gateway.outbound_connection import Streams
from treadle.gateway.tunnel_opening import (
    OpeningUnfinished,
    PassedOpening,
    PlainRequest,
    judge_opening,
)

MAX_HEAD = 64 * 1024
HEAD_TIMEOUT_S = 30.0
CHUNK_BYTES = 65536
# Valid for one connection only, and those that the proxy sets itself.
_HOP_BY_HOP = frozenset(
    b"connection proxy-connection keep-alive te trailer upgrade expect host"
    b" proxy-authorization proxy-authenticate".split()
)


class TransferLimitReached(Exception):
    """The byte limit of one direction is reached."""


class TunnelRefused(Exception):
    """The process speaks to another host than the one that it asked for."""


@dataclass(slots=True)
class TransferLimit:
    """Bytes left in one direction, shared by all connections."""

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
    """The side of the sandboxed process."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._peer = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        self._request: h11.Request | None = None
        # Whether the head of a response was sent.
        self.started = False

    async def read_request_line(self) -> tuple[str, str] | None:
        """The method and the target; None if the process disconnects first.

        Raises h11.RemoteProtocolError for an invalid request.
        """
        async with asyncio.timeout(HEAD_TIMEOUT_S):
            event = await self._next_event()
        if not isinstance(event, h11.Request):
            return None
        self._request = event
        return event.method.decode("ascii"), event.target.decode("latin-1")

    async def refuse(self, status: int, reason: str) -> None:
        """Put the reason in the status line, because many programs show nothing else."""
        reason_phrase = f"Treadle: {reason}".encode("ascii", "replace")
        body = reason_phrase + b"\n"
        headers = [
            ("content-type", "text/plain"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        try:
            self._send(h11.Response(status_code=status, headers=headers, reason=reason_phrase))
            self._send(h11.Data(data=body))
            self._send(h11.EndOfMessage())
            await self._writer.drain()
        except (h11.LocalProtocolError, ConnectionError):
            pass  # it disconnected, or a response was sent already

    @property
    def head(self) -> tuple[str, tuple[tuple[bytes, bytes], ...]]:
        """The method and the headers of the request."""
        request = self._request
        return ("", ()) if request is None else (request.method.decode(), tuple(request.headers))

    async def start(
        self, status: int, headers: list[tuple[bytes, bytes]], reason: bytes = b""
    ) -> None:
        """Send the head of the only response of this connection."""
        self.started = True
        closing = [*headers, (b"connection", b"close")]
        self._send(h11.Response(status_code=status, headers=closing, reason=reason))

    async def send(self, chunk: bytes) -> None:
        if chunk and self.head[0] != "HEAD":
            self._send(h11.Data(data=chunk))
            await self._writer.drain()

    async def finish(self) -> None:
        self._send(h11.EndOfMessage())
        await self._writer.drain()

    async def end_tunnel(self) -> Streams:
        """Accept the tunnel, and be its end."""
        if await self._accept_tunnel():
            raise h11.RemoteProtocolError("it did not wait for the tunnel")
        return self.streams

    async def start_tls(self, context: ssl.SSLContext) -> Streams:
        """Be the server of what follows; raises ssl.SSLError if the process does not like the
        certificate."""
        await self._writer.start_tls(context, ssl_handshake_timeout=HEAD_TIMEOUT_S)
        return self.streams

    @property
    def streams(self) -> Streams:
        return self._reader, self._writer

    async def _accept_tunnel(self) -> bytes:
        """What the process has sent already."""
        if not isinstance(await self._next_event(), h11.EndOfMessage):
            raise h11.RemoteProtocolError("a CONNECT has no body")
        self._send(h11.Response(status_code=200, headers=[], reason=b"OK"))
        return self._peer.trailing_data[0]

    async def tunnel(self, request: HostRequest, remote: Streams, limits: TransferLimits) -> None:
        """Copy bytes in both directions until both end. Nothing is sent before it is known that the
        process speaks to the host that it asked for; else TunnelRefused is raised, in a group."""
        unread = await self._accept_tunnel()
        reader, writer = remote
        async with asyncio.TaskGroup() as both:
            # Some servers speak first.
            both.create_task(_copy_stream(reader, self._writer, limits.received))
            data, opening = await self._read_opening(unread, request.host)
            if isinstance(opening, HostRefused):
                raise TunnelRefused(opening.reason)
            if isinstance(opening, PlainRequest):
                inner = ProxyConnection(self._reader, self._writer)
                await inner.send_plain_request(data, request, writer, limits.sent)
                return
            limits.sent.take(len(data))
            writer.write(data)
            await _copy_stream(self._reader, writer, limits.sent)

    async def _read_opening(
        self, data: bytes, host: str
    ) -> tuple[bytes, PassedOpening | PlainRequest | HostRefused]:
        while isinstance(opening := judge_opening(data, host), OpeningUnfinished):
            more = await self._reader.read(CHUNK_BYTES)
            if not more:
                return data, PassedOpening()
            data += more
        return data, opening

    async def send_plain_request(
        self,
        data: bytes,
        request: HostRequest,
        writer: asyncio.StreamWriter,
        limit: TransferLimit,
    ) -> None:
        """Send on the one request that begins with this data, in the name of the host."""
        self._peer.receive_data(data.lstrip(b"\r\n"))
        line = await self.read_request_line()
        if line is None or not line[1].startswith("/"):
            raise TunnelRefused(f"the request to {request.host} has no path")
        await self._forward_request(replace(request, target=line[1]), writer, limit)

    async def forward(self, request: HostRequest, remote: Streams, limits: TransferLimits) -> None:
        """Forward one plain HTTP request and its response; later requests are not read."""
        reader, writer = remote
        async with asyncio.TaskGroup() as both:
            both.create_task(_copy_stream(reader, self._writer, limits.received))
            await self._forward_request(request, writer, limits.sent)

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):  # also ssl.SSLError
            await self._writer.wait_closed()

    def abort(self) -> None:
        """Close at once, without waiting for the process to read."""
        self._writer.transport.abort()

    async def _forward_request(
        self, request: HostRequest, writer: asyncio.StreamWriter, limit: TransferLimit
    ) -> None:
        head = self._request
        if head is None or request.target is None:
            return
        peer = h11.Connection(h11.CLIENT)
        event: h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED] = h11.Request(
            method=head.method,
            target=request.target.encode("latin-1"),
            headers=[
                (b"host", _host_header(request).encode()),
                *((name, value) for name, value in head.headers if name not in _HOP_BY_HOP),
                (b"connection", b"close"),
            ],
        )
        while isinstance(event, h11.Request | h11.Data | h11.EndOfMessage):
            chunk = peer.send(event) or b""
            limit.take(len(chunk))
            writer.write(chunk)
            await writer.drain()
            if isinstance(event, h11.EndOfMessage):
                return
            event = await self._next_event()
        raise ConnectionAbortedError  # it disconnected during its request

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
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit: TransferLimit
) -> None:
    while chunk := await reader.read(CHUNK_BYTES):
        limit.take(len(chunk))
        writer.write(chunk)
        await writer.drain()
    try:
        writer.write_eof()
    except OSError as error:  # the connection is already closed
        raise ConnectionResetError from error


def _host_header(request: HostRequest) -> str:
    """The default port is left out, as browsers do."""
    return authority(request).removesuffix(f":{HTTP_PORT}")
