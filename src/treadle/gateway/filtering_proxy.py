"""The filtering proxy: lets sandboxed processes reach only the hosts that the user listed."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Self, TypeVar

import h11

from treadle.domain.events.oversight import HostAsked
from treadle.gateway.allowed_hosts import (
    Address,
    AllowedHosts,
    HostEntry,
    HostRefused,
    HostRequest,
    check_addresses,
    find_entry,
    parse_request_line,
)
from treadle.gateway.indexes.index_routes import Origin
from treadle.gateway.indexes.index_server import IndexServer
from treadle.gateway.outbound_connection import Streams, connect_directly, connect_through_proxy
from treadle.gateway.proxy_connection import (
    ProxyConnection,
    TransferLimit,
    TransferLimitReached,
    TransferLimits,
    TunnelRefused,
)
from treadle.gateway.sockets import SocketDirectory

RecordDecision = Callable[[HostAsked], None]
Answer = Callable[[ProxyConnection], Awaitable[None]]
LookUp = Callable[[str, int], Awaitable[Sequence[Address]]]
# The URL of the machine's own proxy for a host and port; empty if it has none.
UpstreamProxy = Callable[[str, int], str]

MAX_SENT = 256 * 1024 * 1024
MAX_RECEIVED = 16 * 1024 * 1024 * 1024
MAX_CONNECTIONS = 256
# A process that keeps asking for new hosts must not fill the log.
MAX_RECORDED = 1000


async def look_up(host: str, port: int) -> Sequence[Address]:
    """All addresses of a name by the system's resolver; none if it is unknown."""
    loop = asyncio.get_running_loop()
    try:
        results = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:  # socket.gaierror, and errors of a broken resolver
        return ()
    return tuple(dict.fromkeys(ip_address(address[0]) for *_, address in results))


def no_upstream(host: str, port: int) -> str:
    """For a machine without a proxy of its own."""
    return ""


@dataclass(frozen=True, slots=True)
class _Route:
    """An allowed request, and how to reach its host: by addresses, or through another proxy."""

    request: HostRequest
    addresses: tuple[Address, ...] = ()
    proxy: str = field(default="", repr=False)

    async def connect(self) -> Streams | None:
        if self.proxy:
            return await connect_through_proxy(self.proxy, self.request)
        return await connect_directly(self.addresses, self.request.port)


class FilteringProxy:
    """`with FilteringProxy(hosts, record) as proxy:` listens at `proxy.socket`.

    `record` is called in the proxy's thread, once for each different decision. If the machine has
    a proxy of its own, that proxy resolves the names. `indexes` serves package indexes, whose hosts
    need not be among those.
    """

    def __init__(
        self,
        hosts: AllowedHosts,
        record: RecordDecision,
        *,
        resolve: LookUp = look_up,
        upstream: UpstreamProxy = no_upstream,
        limits: TransferLimits | None = None,
        indexes: IndexServer | None = None,
    ) -> None:
        self._hosts = hosts
        self._record = record_once(record)
        self._resolve = resolve
        self._upstream = upstream
        self._limits = limits or default_limits()
        self._indexes = indexes
        self._tasks: set[asyncio.Task[None]] = set()
        self._servers: list[asyncio.Server] = []
        # The sockets of indexes on this machine's loopback, by their ports.
        self.index_sockets: dict[int, Path] = {}

    def __enter__(self) -> Self:
        self._sockets = SocketDirectory()
        self._thread = LoopThread("treadle-proxy")
        self.socket = self._listen(self._answer)
        for origin in self._indexes.loopback_origins() if self._indexes else ():
            self.index_sockets[origin.port] = self._listen(partial(self._answer_origin, origin))
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.call(self._end()).result()
        self._thread.close()
        self._sockets.close()

    def _listen(self, answer: Answer) -> Path:
        path, listener = self._sockets.listen()

        def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._serve(ProxyConnection(reader, writer), answer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        start = asyncio.start_unix_server(on_connect, sock=listener)
        self._servers.append(self._thread.call(start).result())
        return path

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._indexes is not None:
            await self._indexes.close()

    async def _serve(self, connection: ProxyConnection, answer: Answer) -> None:
        try:
            if len(self._tasks) > MAX_CONNECTIONS:
                await connection.refuse(503, "too many connections at once")
            else:
                await answer(connection)
        except h11.RemoteProtocolError as error:
            self._record(HostAsked("?", 0, allowed=False))
            await connection.refuse(error.error_status_hint, "this is not a request")
        except (ConnectionError, TimeoutError, TransferLimitReached):
            pass  # a side disconnected, or the transfer limit is reached: only close
        except asyncio.CancelledError:
            connection.abort()
            raise
        finally:
            await connection.close()

    async def _answer(self, connection: ProxyConnection) -> None:
        line = await connection.read_request_line()
        if line is None:
            return
        request = parse_request_line(*line)
        if isinstance(request, HostRefused):
            self._record(HostAsked("?", 0, allowed=False, reason=request.reason))
            await connection.refuse(403, request.reason)
            return
        entry = find_entry(request, self._hosts)
        if await self._answer_index(connection, request, entry):
            return
        route = entry if isinstance(entry, HostRefused) else await self._route_to(entry, request)
        if isinstance(route, HostRefused):
            await self._refuse(connection, request, route.reason)
            return
        self._record(HostAsked(request.host, request.port, allowed=True))
        await self._connect(connection, route)

    async def _refuse(self, connection: ProxyConnection, request: HostRequest, reason: str) -> None:
        self._record(HostAsked(request.host, request.port, allowed=False, reason=reason))
        if self._indexes is None or request.target is not None:
            await connection.refuse(403, reason)
        else:
            origin = self._indexes.tunnel_origin(request.host, request.port)
            await self._indexes.refuse_tunnel(connection, origin, reason)

    async def _connect(self, connection: ProxyConnection, route: _Route) -> None:
        remote = await route.connect()
        if remote is None:
            await connection.refuse(502, f"{route.request.host} was not reached")
            return
        try:
            await self._relay(connection, route.request, remote)
        except asyncio.CancelledError:
            remote[1].transport.abort()
            raise
        finally:
            remote[1].close()

    async def _relay(
        self, connection: ProxyConnection, request: HostRequest, remote: Streams
    ) -> None:
        try:
            if request.target is None:
                await connection.tunnel(request, remote, self._limits)
            else:
                await connection.forward(request, remote, self._limits)
        except* TunnelRefused as refused:
            reason = str(refused.exceptions[0])
            self._record(HostAsked(request.host, request.port, allowed=False, reason=reason))
        except* (ConnectionError, TimeoutError, TransferLimitReached, h11.RemoteProtocolError):
            pass  # both directions have ended

    async def _route_to(self, entry: HostEntry, request: HostRequest) -> _Route | HostRefused:
        if entry.address is None and (proxy := self._upstream(entry.host, entry.port)):
            return _Route(request, proxy=proxy)
        resolved = () if entry.address is not None else await self._resolve(entry.host, entry.port)
        addresses = check_addresses(entry, resolved)
        return addresses if isinstance(addresses, HostRefused) else _Route(request, addresses)

    async def _answer_index(
        self, connection: ProxyConnection, request: HostRequest, entry: HostEntry | HostRefused
    ) -> bool:
        """Whether the host is one of the package indexes, which then has answered. A host that the
        user listed is passed through, unless it needs a login."""
        if self._indexes is None:
            return False
        origin = Origin("http", request.host, request.port)
        if request.target is None:
            origin = self._indexes.tunnel_origin(request.host, request.port)
        if isinstance(entry, HostEntry):
            is_index = self._indexes.has_login(origin)
        else:
            is_index = await self._indexes.knows(origin)
        if not is_index:
            return False
        if request.target is None:
            await self._indexes.serve_tunnel(connection, origin)
        else:
            await self._indexes.serve_request(connection, origin, request.target)
        return True

    async def _answer_origin(self, origin: Origin, connection: ProxyConnection) -> None:
        if self._indexes is not None:
            await self._indexes.serve_origin(connection, origin)


def record_once(record: RecordDecision) -> RecordDecision:
    """Records each decision once, and no more than a log can hold."""
    recorded: set[HostAsked] = set()

    def record_new(decision: HostAsked) -> None:
        if decision not in recorded and len(recorded) < MAX_RECORDED:
            recorded.add(decision)
            record(decision)

    return record_new


def default_limits() -> TransferLimits:
    return TransferLimits(TransferLimit(MAX_SENT), TransferLimit(MAX_RECEIVED))


T = TypeVar("T")


class LoopThread:
    """An event loop in a thread of its own; `close` cancels its tasks."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def call(self, coroutine: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start a coroutine in the loop, from any other thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._stopped.wait())
