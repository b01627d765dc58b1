"""Answers requests for package indexes: decides, and revalidates pages."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from treadle.domain.events.oversight import HostAsked
from treadle.domain.package_index import PackageIndex
from treadle.gateway.client_connection import AgentRequest
from treadle.gateway.indexes.index_cache import CacheEntry, IndexCache
from treadle.gateway.indexes.index_client import IndexClient, IndexResponse, IndexUnreachable
from treadle.gateway.indexes.index_files import FileAnswers, cache_key
from treadle.gateway.indexes.index_headers import (
    accept_of,
    accepts_gzip,
    is_unchanged,
    passed_headers,
    request_headers,
)
from treadle.gateway.indexes.index_links import decoded, find_links
from treadle.gateway.indexes.index_responses import (
    Responder,
    WholeAnswer,
    chunks_of,
    failed_answer,
    refuse,
    send_whole,
)
from treadle.gateway.indexes.index_routes import (
    IndexRefused,
    IndexRoute,
    IndexRoutes,
    Origin,
    origin_of,
)
from treadle.gateway.proxy_connection import TransferLimit, TransferLimitReached

MAX_PAGE = 128 * 1024 * 1024
# Of all addresses that are sent to indexes: far more than any install needs.
MAX_ASKED = 8 * 1024 * 1024
MAX_RECEIVED = 64 * 1024 * 1024 * 1024
_OK, _NOT_MODIFIED = 200, 304


@dataclass(frozen=True, slots=True)
class _Page:
    headers: Mapping[str, str]
    body: bytes


class IndexAnswers:
    """Used in the thread of the proxy only; `record` is called for each decision."""

    def __init__(
        self,
        routes: IndexRoutes,
        client: IndexClient,
        cache: IndexCache,
        record: Callable[[HostAsked], None],
    ) -> None:
        self._routes = routes
        self._client = client
        self._cache = cache
        self._record = record
        self._received = TransferLimit(MAX_RECEIVED)
        self._asked = TransferLimit(MAX_ASKED)
        self._files = FileAnswers(client, cache, self._asked, self._received)

    async def answer(self, origin: Origin, request: AgentRequest, responder: Responder) -> None:
        """Answer one request to a known host."""
        decision = self._routes.decide(request.method, origin, request.target)
        if isinstance(decision, IndexRefused):
            reason = decision.reason
            self._record(HostAsked(origin.host, origin.port, allowed=False, reason=reason))
            await refuse(responder, 403, reason)
            return
        self._record(HostAsked(origin.host, origin.port, allowed=True))
        try:
            if decision.use == "page":
                await self._answer_page(decision, request, responder)
            else:
                await self._files.answer(decision, request, responder)
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
        if isinstance(page, WholeAnswer):
            await send_whole(responder, page)
            return
        headers, body = dict(page.headers), page.body
        if is_unchanged(asked, headers):
            await send_whole(responder, WholeAnswer(_NOT_MODIFIED, headers, None))
            return
        encoding = headers.get("content-encoding", "")
        if encoding and not accepts_gzip(asked) and (plain := decoded(body, encoding)) is not None:
            del headers["content-encoding"]
            body = plain
        await send_whole(responder, WholeAnswer(_OK, headers, body))

    async def _fetch_page(self, route: IndexRoute, accept: str) -> _Page | WholeAnswer:
        """The page, or the answer that it is not there."""
        key = cache_key(route, accept)
        entry = self._cache.find(key)
        stored = self._cache.read(entry) if entry is not None else None
        page = await self._ask_for_page(route, accept, entry if stored is not None else None)
        if page is None:
            if entry is None or stored is None:
                raise IndexUnreachable("the index answered that nothing has changed")
            page = _Page(entry.headers, stored)
        elif isinstance(page, _Page):
            self._cache.store(key, page.body, page.headers)
        if isinstance(page, _Page):
            await self._learn(route, page)
        return page

    async def _ask_for_page(
        self, route: IndexRoute, accept: str, entry: CacheEntry | None
    ) -> _Page | WholeAnswer | None:
        """None if the stored page is still right."""
        self._asked.take(len(route.url) + len(accept))
        headers = request_headers(accept, encoding="gzip", entry=entry)
        async with self._client.open("GET", route, headers) as response:
            if response.status == _NOT_MODIFIED:
                return None
            if response.status == _OK:
                return _Page(passed_headers(response.headers), await self._read(response))
            return await failed_answer(route, response, self._received)

    async def _learn(self, route: IndexRoute, page: _Page) -> None:
        """Done before the process gets the page, because it asks for the files at once."""
        origin = origin_of(route.url)
        body = decoded(page.body, page.headers.get("content-encoding", ""))
        if origin is None or body is None:
            return
        links = await asyncio.to_thread(
            find_links,
            route.index,
            url=route.url,
            content_type=page.headers.get("content-type", ""),
            body=body,
        )
        self._routes.learn(route.index, origin, links)

    async def _read(self, response: IndexResponse) -> bytes:
        body = bytearray()
        async for chunk in chunks_of(response, self._received):
            body += chunk
            if len(body) > MAX_PAGE:
                raise IndexUnreachable("the page of the index is too large")
        return bytes(body)
