"""Sends HTTP requests of Treadle's own clients: the one user of the HTTP library for them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.domain.http import HttpFailure, HttpResponse, OutgoingRequest

if TYPE_CHECKING:
    import ssl

    import httpx2

CONNECT_S = 15.0
READ_S = 30.0
# From the first byte sent to the last byte read.
TOTAL_S = 90.0
# Of a body of which only the end is kept; what comes after is not read.
MAX_READ_BYTES = 64 << 20
_LONGEST_REASON = 200

# The machine's own proxy for a URL; empty if there is none.
ProxyFor = Callable[[str], str]


class HttpClient:
    """The `HttpSender` port on the network. Close it when all is done."""

    def __init__(
        self,
        *,
        proxy_for: ProxyFor = lambda url: "",
        authorities: Sequence[Path] = (),
        total_s: float = TOTAL_S,
    ) -> None:
        self._proxy_for = proxy_for
        self._authorities = tuple(authorities)
        self._total_s = total_s
        self._clients: dict[tuple[str, bool], httpx2.AsyncClient] = {}

    async def send(self, request: OutgoingRequest) -> HttpResponse | HttpFailure:
        # Slow to import; most commands do not need it.
        import httpx2

        try:
            async with asyncio.timeout(self._total_s):
                return await self._exchange(request)
        except TimeoutError:
            return HttpFailure(f"no answer within {self._total_s:g} s")
        except httpx2.TimeoutException:
            return HttpFailure("no answer in time")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return HttpFailure(_reason(error))

    async def close(self) -> None:
        for client in self._clients.values():
            await client.aclose()

    async def _exchange(self, request: OutgoingRequest) -> HttpResponse | HttpFailure:
        async with self._client(request.url).stream(
            request.method,
            request.url,
            headers=dict(request.headers),
            content=request.body or None,
        ) as response:
            body = await _read_body(response.aiter_bytes(), request)
            if body is None:
                return HttpFailure(f"the answer has more than {request.max_bytes} bytes")
            headers = {name.lower(): value for name, value in response.headers.items()}
            return HttpResponse(response.status_code, headers, body)

    def _client(self, url: str) -> "httpx2.AsyncClient":
        import httpx2

        proxy = self._proxy_for(url)
        encrypted = url.startswith("https:") or proxy.startswith("https:")
        if (proxy, encrypted) not in self._clients:
            client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(READ_S, connect=CONNECT_S),
                # The caller has read the environment already.
                trust_env=False,
                proxy=proxy or None,
                verify=_ssl_context(self._authorities, encrypted=encrypted),
                follow_redirects=False,
            )
            client.headers.clear()
            self._clients[proxy, encrypted] = client
        return self._clients[proxy, encrypted]


async def _read_body(pieces: AsyncIterator[bytes], request: OutgoingRequest) -> bytes | None:
    body = bytearray()
    read = 0
    async for piece in pieces:
        body += piece
        read += len(piece)
        if request.keep == "end":
            del body[: -request.max_bytes]
            if read >= MAX_READ_BYTES:
                break
        elif read > request.max_bytes:
            return None
    return bytes(body)


def _ssl_context(authorities: Sequence[Path], *, encrypted: bool) -> "ssl.SSLContext":
    import ssl

    import httpx2

    if not encrypted:
        # Loading the default authorities takes time.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx2.create_ssl_context(trust_env=False)
    for path in authorities:
        with suppress(OSError):  # also ssl.SSLError; a missing file is left out
            context.load_verify_locations(path)
    return context


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:_LONGEST_REASON] or type(error).__name__
