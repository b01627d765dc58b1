"""Answers requests for package indexes: pages are revalidated, package files stay in the cache."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from treadle.domain.events.oversight import HostAsked
from treadle.domain.package_index import PackageIndex
from treadle.gateway.client_connection import AgentRequest
from treadle.gateway.indexes.download_cache import (
    CacheEntry,
    CacheKey,
    DownloadCache,
    login_fingerprint,
)
from treadle.gateway.indexes.index_client import IndexClient, IndexResponse, IndexUnreachable
from treadle.gateway.indexes.index_headers import (
    accept_of,
    accepts_gzip,
    is_unchanged,
    part_of,
    passed_headers,
    range_of,
    request_headers,
)
from treadle.gateway.indexes.index_links import decoded, find_links
from treadle.gateway.indexes.index_routes import (
    IndexRefused,
    IndexRoute,
    IndexRoutes,
    Origin,
    origin_of,
)
from treadle.gateway.proxy_connection import TransferLimit, TransferLimitReached

MAX_PAGE = 128 * 1024 * 1024
MAX_ERROR = 4096
# Of all addresses that are sent to indexes: far more than any install needs.
MAX_ASKED = 8 * 1024 * 1024
MAX_RECEIVED = 64 * 1024 * 1024 * 1024
_CHUNK = 256 * 1024
_OK, _PARTIAL, _NOT_MODIFIED = 200, 206, 304
_TEXT = {"content-type": "text/plain; charset=utf-8"}


class Responder(Protocol):
    """The side of the process that asked."""

    started: bool

    async def start(
        self, status: int, headers: list[tuple[bytes, bytes]], reason: bytes = b""
    ) -> None: ...
    async def send(self, chunk: bytes) -> None: ...
    async def finish(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Page:
    status: int
    headers: Mapping[str, str]
    body: bytes


class IndexAnswers:
    """Used in the thread of the proxy only; `record` is called for each decision."""

    def __init__(
        self,
        routes: IndexRoutes,
        client: IndexClient,
        cache: DownloadCache,
        record: Callable[[HostAsked], None],
    ) -> None:
        self._routes = routes
        self._client = client
        self._cache = cache
        self._record = record
        self._received = TransferLimit(MAX_RECEIVED)
        self._asked = TransferLimit(MAX_ASKED)

    async def answer(self, origin: Origin, request: AgentRequest, responder: Responder) -> None:
        """Answer one request to a known host."""
        decision = self._routes.decide(request.method, origin, request.target)
        if isinstance(decision, IndexRefused):
            refused = HostAsked(origin.host, origin.port, allowed=False, reason=decision.reason)
            self._record(refused)
            await refuse(responder, 403, decision.reason)
            return
        self._record(HostAsked(origin.host, origin.port, allowed=True))
        try:
            if decision.use == "page":
                await self._answer_page(decision, request, responder)
            else:
                await self._answer_file(decision, request, responder)
        except IndexUnreachable as error:
            if responder.started:
                raise ConnectionAbortedError from error
            await refuse(responder, 502, str(error))
        except TransferLimitReached as error:
            if responder.started:
                raise ConnectionAbortedError from error
            await refuse(responder, 403, "the limit of the package indexes is reached")

    async def read_page(self, index: PackageIndex, url: str, accept: str) -> None:
        """Learn what a page of an index links to; raises IndexUnreachable."""
        route = IndexRoute(url, "page", index, authorization=index.authorization)
        await self._fetch_page(route, accept)

    async def _answer_page(
        self, route: IndexRoute, request: AgentRequest, responder: Responder
    ) -> None:
        asked = request.headers()
        page = await self._fetch_page(route, accept_of(asked))
        headers, body = dict(page.headers), page.body
        if page.status == _OK and is_unchanged(asked, headers):
            await _send_whole(responder, _NOT_MODIFIED, headers, None)
            return
        encoding = headers.get("content-encoding", "")
        if encoding and not accepts_gzip(asked) and (plain := decoded(body, encoding)) is not None:
            del headers["content-encoding"]
            body = plain
        await _send_whole(responder, page.status, headers, body)

    async def _fetch_page(self, route: IndexRoute, accept: str) -> _Page:
        key = _key(route, accept)
        entry = self._cache.find(key)
        page = await self._ask_for_page(route, accept, entry)
        if page is None:
            page = await self._ask_for_page(route, accept, None)
        if page is None:
            raise IndexUnreachable("the index answered that nothing has changed")
        if page.status == _OK:
            await self._learn(route, page)
            if entry is None or page.headers is not entry.headers:
                self._cache.store(key, page.body, page.headers)
        return page

    async def _ask_for_page(
        self, route: IndexRoute, accept: str, entry: CacheEntry | None
    ) -> _Page | None:
        """None if the stored page is still right, but broken."""
        self._asked.take(len(route.url) + len(accept))
        headers = request_headers(accept, encoding="gzip", entry=entry)
        async with self._client.open("GET", route, headers) as response:
            if response.status == _NOT_MODIFIED and entry is not None:
                body = self._cache.read(entry)
                return None if body is None else _Page(_OK, entry.headers, body)
            if response.status == _OK:
                body = await self._read(response, MAX_PAGE)
                return _Page(_OK, passed_headers(response.headers), body)
            return await self._failed(route, response)

    async def _learn(self, route: IndexRoute, page: _Page) -> None:
        """Done before the process gets the page, because it asks for the files at once."""
        origin = origin_of(route.url)
        body = decoded(page.body, page.headers.get("content-encoding", ""))
        if origin is None or body is None:
            return
        links = await asyncio.to_thread(
            find_links,
            route.index.kind,
            url=route.url,
            content_type=page.headers.get("content-type", ""),
            body=body,
        )
        self._routes.learn(route.index, origin, links)

    async def _answer_file(
        self, route: IndexRoute, request: AgentRequest, responder: Responder
    ) -> None:
        asked, key = request.headers(), _key(route, "")
        byte_range = range_of(asked)
        entry = self._cache.find(key)
        if entry is not None and await self._send_stored(entry, byte_range, request, responder):
            return
        self._asked.take(len(route.url))
        headers = request_headers(accept_of(asked), encoding="identity", byte_range=byte_range)
        async with self._client.open(request.method, route, headers) as response:
            if response.status not in (_OK, _PARTIAL):
                page = await self._failed(route, response)
                await _send_whole(responder, page.status, page.headers, page.body)
                return
            await self._send_and_store(key, request.method, response, responder)

    async def _send_and_store(
        self, key: CacheKey, method: str, response: IndexResponse, responder: Responder
    ) -> None:
        passed = passed_headers(response.headers)
        length = response.headers.get("content-length", "")
        sent = {**passed, "content-length": length} if length.isdecimal() else passed
        await responder.start(response.status, _pairs(sent))
        # Without either, a cut-off answer looks complete.
        is_framed = length.isdecimal() or "transfer-encoding" in response.headers
        is_whole = method == "GET" and response.status == _OK and is_framed
        incoming = self._cache.incoming() if is_whole else None
        try:
            async for chunk in self._chunks(response):
                if incoming is not None:
                    incoming.write(chunk)
                await responder.send(chunk)
            if incoming is not None:
                incoming.keep(key, passed, size=int(length) if length.isdecimal() else None)
        finally:
            if incoming is not None:
                incoming.discard()
        await responder.finish()

    async def _send_stored(
        self, entry: CacheEntry, byte_range: str, request: AgentRequest, responder: Responder
    ) -> bool:
        """Whether the stored file could be sent."""
        try:
            file = self._cache.content_path(entry).open("rb")
        except OSError:  # removed a moment ago
            return False
        with file:
            part = part_of(byte_range, entry.size)
            first, last = (0, entry.size - 1) if part is None else (part.first, part.last)
            headers = {**entry.headers, "content-length": str(last - first + 1)}
            if part is not None:
                headers["content-range"] = f"bytes {first}-{last}/{entry.size}"
            await responder.start(_OK if part is None else _PARTIAL, _pairs(headers))
            if request.method == "GET":
                file.seek(first)
                checked, left = hashlib.sha256(), last - first + 1
                while left and (chunk := file.read(min(_CHUNK, left))):
                    left -= len(chunk)
                    checked.update(chunk)
                    if not left and part is None and checked.hexdigest() != entry.sha256:
                        # The process does not get the end, so it does not use the rest.
                        self._cache.remove(entry)
                        raise ConnectionAbortedError
                    await responder.send(chunk)
        await responder.finish()
        return True

    async def _failed(self, route: IndexRoute, response: IndexResponse) -> _Page:
        """An answer that is no page or file; with a login, its text could repeat the login."""
        headers = dict(_TEXT)
        if response.status in (301, 302, 303, 307, 308):
            headers["location"] = response.headers.get("location", "")
        elif "retry-after" in response.headers:
            headers["retry-after"] = response.headers["retry-after"]
        host = origin_of(route.url)
        text = (
            f"Treadle: {host.host if host else 'the index'} answered {response.status}\n".encode()
        )
        is_plain = not response.headers.get("content-encoding")
        if route.index.authorization is None and is_plain:
            text = b"".join([chunk async for chunk in self._chunks(response, MAX_ERROR)]) or text
            headers["content-type"] = response.headers.get("content-type", _TEXT["content-type"])
        return _Page(response.status, headers, text)

    async def _read(self, response: IndexResponse, most: int) -> bytes:
        body = bytearray()
        async for chunk in self._chunks(response):
            body += chunk
            if len(body) > most:
                raise IndexUnreachable("the page of the index is too large")
        return bytes(body)

    async def _chunks(
        self, response: IndexResponse, most: int | None = None
    ) -> AsyncIterator[bytes]:
        async for chunk in response.body:
            self._received.take(len(chunk))
            if most is not None:
                chunk = chunk[:most]
                most -= len(chunk)
            yield chunk
            if most == 0:
                return


async def refuse(responder: Responder, status: int, reason: str) -> None:
    """Put the reason in the status line, because many programs show nothing else."""
    text = f"Treadle: {reason}".encode("ascii", "replace")
    headers = {**_TEXT, "content-length": str(len(text) + 1)}
    await responder.start(status, _pairs(headers), text)
    await responder.send(text + b"\n")
    await responder.finish()


async def _send_whole(
    responder: Responder, status: int, headers: Mapping[str, str], body: bytes | None
) -> None:
    length = {} if body is None else {"content-length": str(len(body))}
    await responder.start(status, _pairs({**headers, **length}))
    await responder.send(body or b"")
    await responder.finish()


def _key(route: IndexRoute, accept: str) -> CacheKey:
    return CacheKey(route.index.url, route.url, accept, login_fingerprint(route.authorization))


def _pairs(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]
