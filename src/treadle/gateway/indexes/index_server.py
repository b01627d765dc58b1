"""Serves package indexes to the processes of a sandbox, in the name of the indexes' hosts."""

import asyncio
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from treadle.domain.events.oversight import HostAsked
from treadle.domain.package_index import PackageIndex
from treadle.gateway.allowed_hosts import HTTP_PORT
from treadle.gateway.capacity import ConnectionCapacity
from treadle.gateway.client_connection import AgentRequest, Client, serve_connection
from treadle.gateway.indexes.authority import CertificateAuthority
from treadle.gateway.indexes.index_answers import IndexAnswers
from treadle.gateway.indexes.index_cache import IndexCache
from treadle.gateway.indexes.index_client import IndexClient, IndexUnreachable
from treadle.gateway.indexes.index_responses import refuse
from treadle.gateway.indexes.index_routes import IndexRoutes, Origin
from treadle.gateway.outbound_connection import Streams
from treadle.gateway.proxy_connection import ProxyConnection

RecordDecision = Callable[[HostAsked], None]

MAX_CONNECTIONS = 256
# Hosts that get a certificate of their own, to be refused with.
MAX_REFUSED = 200
# How long a process waits, once, for the hosts that the indexes link to.
PROBE_S = 5.0
# Pages that link to the hosts of files: a package that every index has, and its settings.
_PROBES = {"python": ("pip/", "text/html"), "rust": ("config.json", "application/json")}
_UNTRUSTED = "the program does not trust the certificates of the sandbox"
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


class IndexServer:
    """`folder` is a private directory on the host. All but `certificate` and `loopback_origins` is
    used in the thread of the proxy."""

    def __init__(
        self,
        indexes: Sequence[PackageIndex],
        record: RecordDecision,
        client: IndexClient,
        cache: IndexCache,
        folder: Path,
    ) -> None:
        self._routes = IndexRoutes(indexes)
        self._record = record
        self._client = client
        self._cache = cache
        self._folder = folder
        self._answers = IndexAnswers(self._routes, client, cache, record)
        self._authority = CertificateAuthority("Treadle: package indexes of one sandbox")
        self._capacity = ConnectionCapacity(max_connections=MAX_CONNECTIONS)
        self._refused: set[str] = set()
        self._probing: asyncio.Task[None] | None = None

    @property
    def certificate(self) -> bytes:
        return self._authority.pem

    def has_login(self, origin: Origin) -> bool:
        """Whether Treadle has a login for an index at this host."""
        return any(index.authorization for index in self._routes.indexes.get(origin, ()))

    def tunnel_origin(self, host: str, port: int) -> Origin:
        """What is at the end of a tunnel: some programs use one without encryption, too."""
        plain = Origin("http", host, port)
        return (
            plain
            if self._routes.knows(plain) or port == HTTP_PORT
            else replace(plain, scheme="https")
        )

    async def knows(self, origin: Origin) -> bool:
        """Whether the host is an index, or one that an index links to. Before a host is refused,
        the indexes are asked once, because a lock file may name hosts that no page has named."""
        if self._routes.knows(origin):
            return True
        if self._probing is None:
            self._probing = asyncio.ensure_future(self._probe())
        await asyncio.wait({self._probing}, timeout=PROBE_S)
        return self._routes.knows(origin)

    async def serve_tunnel(self, connection: ProxyConnection, origin: Origin) -> None:
        """Serve what a process sends through its tunnel."""
        await connection.end_tunnel()
        await self.serve_origin(connection, origin)

    async def refuse_tunnel(self, connection: ProxyConnection, origin: Origin, reason: str) -> None:
        """Refuse a host inside the tunnel to it, because many programs show no other reason."""
        if len(self._refused) >= MAX_REFUSED and origin.host not in self._refused:
            await connection.refuse(403, reason)
            return
        self._refused.add(origin.host)

        async def answer(request: AgentRequest, client: Client) -> None:
            await refuse(client, 403, reason)

        with suppress(ssl.SSLError):  # it is refused, too
            await connection.end_tunnel()
            streams = await self._streams(connection, origin)
            await serve_connection(*streams, answer, self._capacity)

    async def serve_origin(self, connection: ProxyConnection, origin: Origin) -> None:
        """Serve a process that connects to the index itself, as it does on loopback."""
        try:
            reader, writer = await self._streams(connection, origin)
        except ssl.SSLError:
            self._record(HostAsked(origin.host, origin.port, allowed=False, reason=_UNTRUSTED))
            return

        async def answer(request: AgentRequest, client: Client) -> None:
            await self._answers.answer(origin, request, client)

        await serve_connection(reader, writer, answer, self._capacity)

    async def serve_request(self, connection: ProxyConnection, origin: Origin, target: str) -> None:
        """Answer the one request of a connection that is not encrypted."""
        method, headers = connection.head
        await self._answers.answer(origin, AgentRequest(method, target, headers, b""), connection)

    async def _streams(self, connection: ProxyConnection, origin: Origin) -> Streams:
        if origin.scheme == "http":
            return connection.streams
        return await connection.start_tls(self._context(origin))

    def loopback_origins(self) -> Iterator[Origin]:
        """The indexes on this machine's loopback, one for each port. Inside, programs do not use a
        proxy for them."""
        ports: set[int] = set()
        for origin in self._routes.indexes:
            if origin.is_loopback and origin.port not in ports:
                ports.add(origin.port)
                yield origin

    async def close(self) -> None:
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.gather(self._probing, return_exceptions=True)
        await self._client.close()
        await asyncio.to_thread(self._cache.trim)

    def _context(self, origin: Origin) -> ssl.SSLContext:
        names = _LOOPBACK_NAMES if origin.is_loopback else (origin.host,)
        return self._authority.server_context(names, self._folder)

    async def _probe(self) -> None:
        probes = [self._probe_index(index) for index in self._routes.all_indexes()]
        await asyncio.gather(*probes)

    async def _probe_index(self, index: PackageIndex) -> None:
        if index.kind not in _PROBES:
            return
        page, accept = _PROBES[index.kind]
        with suppress(IndexUnreachable):  # then it links to nothing
            await self._answers.read_page(index, f"{index.url.rstrip('/')}/{page}", accept)
