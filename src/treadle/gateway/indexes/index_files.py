"""Answers requests for package files: from the cache, or from the index into the cache."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from treadle.gateway.client_connection import AgentRequest
from treadle.gateway.indexes.index_cache import (
    CacheEntry,
    CacheKey,
    IndexCache,
    login_fingerprint,
)
from treadle.gateway.indexes.index_client import IndexClient, IndexResponse
from treadle.gateway.indexes.index_headers import (
    ByteRange,
    accept_of,
    part_of,
    passed_headers,
    range_of,
    request_headers,
)
from treadle.gateway.indexes.index_responses import (
    Responder,
    chunks_of,
    failed_answer,
    header_pairs,
    send_whole,
)
from treadle.gateway.indexes.index_routes import IndexRoute
from treadle.gateway.proxy_connection import TransferLimit

_CHUNK = 256 * 1024
_OK, _PARTIAL = 200, 206


@dataclass(frozen=True, slots=True)
class FileAnswers:
    """`asked` and `received` limit what goes to the indexes and what comes from them."""

    client: IndexClient
    cache: IndexCache
    asked: TransferLimit
    received: TransferLimit

    async def answer(self, route: IndexRoute, request: AgentRequest, responder: Responder) -> None:
        """Raises IndexUnreachable, TransferLimitReached."""
        headers, key = request.headers(), cache_key(route)
        byte_range = range_of(headers)
        entry = self.cache.find(key)
        if entry is not None and await self._send_stored(
            entry, part_of(byte_range, entry.size), request.method, responder
        ):
            return
        self.asked.take(len(route.url))
        sent = request_headers(accept_of(headers), encoding="identity", byte_range=byte_range)
        async with self.client.open(request.method, route, sent) as response:
            if response.status in (_OK, _PARTIAL):
                await self._send_and_store(key, request.method, response, responder)
            else:
                await send_whole(responder, await failed_answer(route, response, self.received))

    async def _send_and_store(
        self, key: CacheKey, method: str, response: IndexResponse, responder: Responder
    ) -> None:
        passed = passed_headers(response.headers)
        length = response.headers.get("content-length", "")
        size = int(length) if length.isdecimal() else None
        sent = passed if size is None else {**passed, "content-length": length}
        await responder.start(response.status, header_pairs(sent))
        # Without either, a cut-off answer looks complete.
        is_framed = size is not None or "transfer-encoding" in response.headers
        is_whole = method == "GET" and response.status == _OK and is_framed
        incoming = self.cache.incoming() if is_whole else None
        try:
            async for chunk in chunks_of(response, self.received):
                if incoming is not None:
                    incoming.write(chunk)
                await responder.send(chunk)
            if incoming is not None:
                incoming.keep(key, passed, size=size)
        finally:
            if incoming is not None:
                incoming.discard()
        await responder.finish()

    async def _send_stored(
        self, entry: CacheEntry, part: ByteRange | None, method: str, responder: Responder
    ) -> bool:
        """Whether the file could still be opened."""
        try:
            file = self.cache.content_path(entry).open("rb")
        except OSError:  # removed a moment ago
            return False
        with file:
            wanted = part or ByteRange(0, entry.size - 1)
            headers = {**entry.headers, "content-length": str(wanted.last - wanted.first + 1)}
            if part is not None:
                headers["content-range"] = f"bytes {part.first}-{part.last}/{entry.size}"
            await responder.start(_PARTIAL if part else _OK, header_pairs(headers))
            if method == "GET":
                for chunk in self._stored_chunks(file, entry, wanted):
                    await responder.send(chunk)
        await responder.finish()
        return True

    def _stored_chunks(
        self, file: BinaryIO, entry: CacheEntry, wanted: ByteRange
    ) -> Iterator[bytes]:
        """A process does not get the end of a file that is not what its hash says, so it does not
        use the rest: raises ConnectionAbortedError."""
        file.seek(wanted.first)
        checked, left = hashlib.sha256(), wanted.last - wanted.first + 1
        is_whole = left == entry.size
        while left and (chunk := file.read(min(_CHUNK, left))):
            left -= len(chunk)
            checked.update(chunk)
            if not left and is_whole and checked.hexdigest() != entry.sha256:
                self.cache.remove(entry)
                raise ConnectionAbortedError
            yield chunk


def cache_key(route: IndexRoute, accept: str = "") -> CacheKey:
    return CacheKey(route.index.url, route.url, accept, login_fingerprint(route.authorization))
