"""The filtering proxy: lets sandboxed processes reach only the hosts that the user listed."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Self, TypeVar

import h11

from treadle.gateway.allowed_hosts import (
    Address,
    HostEntry,
    HostRefused,
    HostRequest,
    check_addresses,
    find_entry,
    parse_request_line,
)
from treadle.gateway.outbound_connection import Streams, connect_directly, connect_through_proxy
from treadle.gateway.proxy_connection import (
    ProxyConnection,
    TransferLimit,
    TransferLimitReached,
    TransferLimits,
)
from treadle.gateway.sockets import SocketDirectory

# Told of a host, a port, and whether they may be reached.
RecordDecision = Callable[[str, int, bool], None]
LookUp = Callable[[str, int], Awaitable[Sequence[Address]]]
# The proxy that this machine itself reaches a host and port through; empty where it needs none.
UpstreamProxy = Callable[[str, int], str]

MAX_SENT = 256 * 1024 * 1024
MAX_RECEIVED = 16 * 1024 * 1024 * 1024
MAX_CONNECTIONS = 256
# Somebody who asks for ever new hosts does not fill the record.
MAX_RECORDED = 1000


async def look_up(host: str, port: int) -> Sequence[Address]:
    """All addresses of a name, by this machine's own means; none if it is not known."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:  # socket.gaierror, and what a broken resolver says
        return ()
    return tuple(dict.fromkeys(ip_address(place[0]) for *_, place in found))


def no_upstream(host: str, port: int) -> str:
    """No host is behind another proxy."""
    return ""


@dataclass(frozen=True, slots=True)
class _Route:
    """A request that may go out, and where to: to addresses, or through another proxy."""

    asked: HostRequest
    addresses: tuple[Address, ...] = ()
    proxy: str = field(default="", repr=False)

    async def connect(self) -> Streams | None:
        if self.proxy:
            return await connect_through_proxy(self.proxy, self.asked)
        return await connect_directly(self.addresses, self.asked.port)


class FilteringProxy:
    """`with FilteringProxy(entries, record) as proxy:` listens at `proxy.socket`.

    `record` is called in the proxy's own thread, once for each different decision. Behind a proxy
    of the machine's, it is that one which looks names up, and knows where they lead to.
    """

    def __init__(
        self,
        entries: Sequence[HostEntry],
        record: RecordDecision,
        *,
        look: LookUp = look_up,
        upstream: UpstreamProxy = no_upstream,
        most_sent: int = MAX_SENT,
        most_received: int = MAX_RECEIVED,
    ) -> None:
        self._entries = tuple(entries)
        self._record = record
        self._look = look
        self._upstream = upstream
        self._caps = TransferLimits(TransferLimit(most_sent), TransferLimit(most_received))
        self._recorded: set[tuple[str, int, bool]] = set()
        self._under_way: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._sockets = SocketDirectory()
        self.socket, listener = self._sockets.listen()
        self._thread = LoopThread("treadle-proxy")
        self._server = self._thread.call(
            asyncio.start_unix_server(self._on_connect, sock=listener)
        ).result()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.call(self._end()).result()
        self._thread.close()
        self._sockets.close()

    async def _end(self) -> None:
        self._server.close()
        under_way = tuple(self._under_way)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def _on_connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(ProxyConnection(reader, writer)))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _serve(self, passage: ProxyConnection) -> None:
        try:
            if len(self._under_way) > MAX_CONNECTIONS:
                await passage.refuse(503, "too many connections at once")
            else:
                await self._answer(passage)
        except h11.RemoteProtocolError as error:
            self._record_once("?", 0, allowed=False)
            await passage.refuse(error.error_status_hint, "this is no request")
        except (ConnectionError, TimeoutError, TransferLimitReached):
            pass  # one of the sides left, or nothing more may pass: all that is left is to close
        except asyncio.CancelledError:
            passage.abort()
            raise
        finally:
            await passage.close()

    async def _answer(self, passage: ProxyConnection) -> None:
        line = await passage.read_request_line()
        if line is None:
            return
        way = await self._find_route(*line)
        if isinstance(way, HostRefused):
            await passage.refuse(403, way.reason)
            return
        far = await way.connect()
        if far is None:
            await passage.refuse(502, f"{way.asked.host} was not reached")
            return
        try:
            await _relay(passage, way.asked, far, self._caps)
        except asyncio.CancelledError:
            far[1].transport.abort()
            raise
        finally:
            far[1].close()

    async def _find_route(self, method: str, target: str) -> _Route | HostRefused:
        asked = parse_request_line(method, target)
        if isinstance(asked, HostRefused):
            self._record_once("?", 0, allowed=False)
            return asked
        entry = find_entry(asked, self._entries)
        if isinstance(entry, HostRefused):
            self._record_once(asked.host, asked.port, allowed=False)
            return entry
        way = await self._route_to(entry, asked)
        self._record_once(asked.host, asked.port, allowed=not isinstance(way, HostRefused))
        return way

    async def _route_to(self, entry: HostEntry, asked: HostRequest) -> _Route | HostRefused:
        if entry.address is None and (proxy := self._upstream(entry.host, entry.port)):
            return _Route(asked, proxy=proxy)
        found = () if entry.address is not None else await self._look(entry.host, entry.port)
        addresses = check_addresses(entry, found)
        return addresses if isinstance(addresses, HostRefused) else _Route(asked, addresses)

    def _record_once(self, host: str, port: int, *, allowed: bool) -> None:
        decision = (host, port, allowed)
        if decision not in self._recorded and len(self._recorded) < MAX_RECORDED:
            self._recorded.add(decision)
            self._record(*decision)


async def _relay(
    passage: ProxyConnection, asked: HostRequest, far: Streams, caps: TransferLimits
) -> None:
    try:
        if asked.target is None:
            await passage.tunnel(far, caps)
        else:
            await passage.forward(asked, far, caps)
    except* (ConnectionError, TransferLimitReached, h11.RemoteProtocolError):
        pass  # it is over in both directions


T = TypeVar("T")


class LoopThread:
    """Runs until it is closed; what is under way then is cancelled."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def call(self, coroutine: Coroutine[Any, Any, T]) -> "Future[T]":
        """Begin a coroutine there, from any other thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()  # a matter of milliseconds

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._stopped.wait())
