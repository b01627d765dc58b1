"""The HTTP client behind the package indexes: checks addresses, follows redirects of indexes."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit

from treadle.domain.package_index import PackageIndex
from treadle.gateway.allowed_hosts import Address, is_public, is_site_address
from treadle.gateway.indexes.certificates import trust_files
from treadle.gateway.indexes.index_routes import IndexRoute, Origin, may_lead_to, origin_of

if TYPE_CHECKING:
    import ssl

    import httpcore2

LookUp = Callable[[str, int], Awaitable[Sequence[Address]]]
# The URL of the machine's own proxy for a host and port; empty if it has none.
UpstreamProxy = Callable[[str, int], str]
Headers = list[tuple[bytes, bytes]]

MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TIMEOUTS = {"connect": 30.0, "read": 120.0, "write": 30.0, "pool": 120.0}
_MAX_CONNECTIONS = 64
_KEEPALIVE_S = 30.0


class IndexUnreachable(Exception):
    """The index did not answer; the text is for the process that asked."""


@dataclass(frozen=True, slots=True)
class IndexResponse:
    """The head of an answer; `body` is as it was sent, without decoding."""

    status: int
    headers: dict[str, str]
    body: AsyncIterator[bytes]


class IndexClient:
    """Used in the thread of the proxy only."""

    def __init__(
        self,
        indexes: Sequence[PackageIndex],
        *,
        resolve: LookUp,
        upstream: UpstreamProxy,
        authorities: Sequence[Path] = (),
    ) -> None:
        self._resolve = resolve
        self._upstream = upstream
        self._authorities = tuple(authorities)
        self._configured = {
            (origin.host, origin.port)
            for index in indexes
            if not index.linked and (origin := origin_of(index.url))
        }
        # The indexes that lead to each other host.
        self._linked_by: dict[tuple[str, int], PackageIndex] = {}
        self._pools: dict[str, httpcore2.AsyncConnectionPool] = {}
        self._ssl: ssl.SSLContext | None = None

    @asynccontextmanager
    async def open(
        self, method: str, route: IndexRoute, headers: Headers
    ) -> AsyncIterator[IndexResponse]:
        """Send a request. Redirects to other hosts are followed, and those of files.

        Raises IndexUnreachable.
        """
        for _ in range(MAX_REDIRECTS + 1):
            async with self._send(method, route, headers) as response:
                target = _redirect_of(route, response)
                if target is None:
                    yield response
                    return
            route = target
        raise IndexUnreachable("the index redirects in circles")

    async def close(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()

    @asynccontextmanager
    async def _send(
        self, method: str, route: IndexRoute, headers: Headers
    ) -> AsyncIterator[IndexResponse]:
        import httpcore2

        origin = origin_of(route.url)
        if origin is None:
            raise IndexUnreachable("the index redirects to an invalid address")
        if route.linked:
            self.link(origin, route.index)
        if route.authorization is not None:
            headers = [*headers, (b"authorization", route.authorization.encode("latin-1"))]
        host = origin.url.partition("://")[2].encode()
        try:
            async with self._pool(origin).stream(
                method,
                route.url,
                headers=[(b"host", host), *headers],
                extensions={"timeout": _TIMEOUTS},
            ) as response:
                pairs = {
                    k.decode("latin-1").lower(): v.decode("latin-1") for k, v in response.headers
                }
                yield IndexResponse(response.status, pairs, response.aiter_stream())
        except (
            httpcore2.NetworkError,
            httpcore2.TimeoutException,
            httpcore2.ProtocolError,
        ) as error:
            raise IndexUnreachable(f"{origin.host} was not reached: {_reason(error)}") from error
        except httpcore2.ProxyError as error:
            raise IndexUnreachable(f"your proxy did not reach {origin.host}") from error

    def _pool(self, origin: Origin) -> "httpcore2.AsyncConnectionPool":
        import httpcore2

        proxy = self._upstream(origin.host, origin.port)
        if proxy not in self._pools:
            self._pools[proxy] = httpcore2.AsyncConnectionPool(
                ssl_context=self._ssl_context(),
                proxy=_parse_proxy(proxy) if proxy else None,
                max_connections=_MAX_CONNECTIONS,
                keepalive_expiry=_KEEPALIVE_S,
                retries=1,
                # A proxy looks names up itself.
                network_backend=None if proxy else _checked_backend(self.addresses_of),
            )
        return self._pools[proxy]

    def _ssl_context(self) -> "ssl.SSLContext":
        if self._ssl is None:
            # Slow to import; most commands do not need it.
            import httpx2

            self._ssl = httpx2.create_ssl_context(trust_env=False)
            trust_files(self._ssl, self._authorities)
        return self._ssl

    def link(self, origin: Origin, index: PackageIndex) -> None:
        """Note that the index leads to this host."""
        self._linked_by[origin.host, origin.port] = index

    async def addresses_of(self, host: str, port: int) -> Sequence[Address]:
        """The addresses to connect to; none if one is not allowed for this host."""
        addresses = await self._resolve(host, port)
        if (host, port) in self._configured or all(is_public(each) for each in addresses):
            return addresses
        index = self._linked_by.get((host, port))
        if index is None:
            return ()
        # Another port of the same machine is another service.
        if (origin := origin_of(index.url)) and origin.host == host:
            return addresses if origin.port == port and not index.linked else ()
        if not await self._is_in_site(index):
            return ()
        return addresses if all(is_site_address(each) for each in addresses) else ()

    async def _is_in_site(self, index: PackageIndex) -> bool:
        """Whether an index is itself at an address that is not public. One that was found with the
        others stands for all of them."""
        origin = origin_of(index.url)
        hosts = self._configured if index.linked or origin is None else {(origin.host, origin.port)}
        for host, port in hosts:
            if any(not is_public(each) for each in await self._resolve(host, port)):
                return True
        return False


def _redirect_of(route: IndexRoute, response: IndexResponse) -> IndexRoute | None:
    """Where to go on; None for an answer that the process gets."""
    if response.status not in _REDIRECTS:
        return None
    url = urljoin(route.url, response.headers.get("location", ""))
    here, target = origin_of(route.url), origin_of(url)
    if here is None or target is None or "@" in urlsplit(url).netloc:
        raise IndexUnreachable("the index redirects to an invalid address")
    if target == here:
        # The address of a page matters to programs, because its links are relative to it.
        return None if route.use == "page" and not urlsplit(url).query else replace(route, url=url)
    if not may_lead_to(here, target):
        raise IndexUnreachable(f"the index redirects to {target.host} without https")
    return replace(route, url=url, linked=True, authorization=None)


def _checked_backend(addresses_of: LookUp) -> "httpcore2.AsyncNetworkBackend":
    import httpcore2

    class CheckedBackend(httpcore2.AnyIOBackend):
        """Connects to the addresses that were checked, never by name."""

        async def connect_tcp(
            self, host: str, port: int, *args: Any, **options: Any
        ) -> httpcore2.AsyncNetworkStream:
            refused: Exception = httpcore2.ConnectError("it has no address that is allowed")
            for address in await addresses_of(host, port):
                try:
                    return await super().connect_tcp(str(address), port, *args, **options)
                except httpcore2.ConnectError as error:
                    refused = error
            raise refused

    return CheckedBackend()


def _parse_proxy(address: str) -> "httpcore2.Proxy":
    import httpcore2

    parts = urlsplit(address)
    login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = f":{parts.port}" if parts.port else ""
    return httpcore2.Proxy(f"{parts.scheme}://{host}{port}", auth=login)


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
