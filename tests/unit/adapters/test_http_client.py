"""The HTTP client gives up in time, reads no more than it may, and uses the machine's proxy."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from treadle.adapters.http_client import HttpClient
from treadle.domain.http import HttpFailure, HttpResponse, OutgoingRequest


@asynccontextmanager
async def serve(*pieces: bytes, hang: bool = False) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server of one fixed answer: its URL, and the heads of requests that it got."""
    heads: list[bytes] = []
    waiting = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        for piece in pieces:
            writer.write(piece)
        if hang:
            await waiting.wait()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/x", heads
    finally:
        waiting.set()
        server.close()
        await server.wait_closed()


async def send(client: HttpClient, request: OutgoingRequest) -> HttpResponse | HttpFailure:
    try:
        return await client.send(request)
    finally:
        await client.close()


async def test_an_answer_has_status_headers_and_body() -> None:
    async with serve(b"HTTP/1.1 418 Teapot\r\nX-One: 1\r\n\r\n", b"short") as (url, heads):
        answer = await send(HttpClient(), OutgoingRequest("GET", url, {"user-agent": "treadle"}))

    assert answer == HttpResponse(418, {"x-one": "1"}, b"short")
    assert b"user-agent: treadle" in heads[0].lower()


async def test_a_server_that_hangs_is_given_up() -> None:
    async with serve(b"HTTP/1.1 200 OK\r\n\r\n", b"half", hang=True) as (url, _):
        answer = await send(HttpClient(total_s=0.2), OutgoingRequest("GET", url))

    assert answer == HttpFailure("no answer within 0.2 s")


async def test_a_body_that_is_too_long_is_a_failure_or_is_cut_at_its_beginning() -> None:
    async with serve(b"HTTP/1.1 200 OK\r\n\r\n", b"0123456789") as (url, _):
        whole = await send(HttpClient(), OutgoingRequest("GET", url, max_bytes=4))
        end = await send(HttpClient(), OutgoingRequest("GET", url, max_bytes=4, keep="end"))

    assert whole == HttpFailure("the answer has more than 4 bytes")
    assert end == HttpResponse(200, {}, b"6789")


async def test_what_is_no_address_or_no_http_is_a_failure() -> None:
    for url in ("http://127.0.0.1:1/x", "ftp://127.0.0.1/x", "http://[", "http://nowhere.invalid/"):
        assert isinstance(await send(HttpClient(), OutgoingRequest("GET", url)), HttpFailure)
    async with serve(b"SMTP hello\r\n\r\n") as (url, _):
        assert isinstance(await send(HttpClient(), OutgoingRequest("GET", url)), HttpFailure)


async def test_the_machines_proxy_is_asked() -> None:
    async with serve(b"HTTP/1.1 200 OK\r\n\r\n", b"by proxy") as (url, heads):
        client = HttpClient(proxy_for=lambda asked: url.removesuffix("/x"))
        answer = await send(client, OutgoingRequest("GET", "http://service.invalid/y"))

    assert answer == HttpResponse(200, {}, b"by proxy")
    assert heads[0].startswith(b"GET http://service.invalid/y ")


def test_a_token_in_the_headers_is_not_shown() -> None:
    assert "secret" not in repr(OutgoingRequest("GET", "http://x/", {"authorization": "secret"}))
