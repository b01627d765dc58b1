"""Sends answers of package indexes to the processes that asked."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from treadle.gateway.indexes.index_client import IndexResponse
from treadle.gateway.indexes.index_routes import IndexRoute, origin_of
from treadle.gateway.proxy_connection import TransferLimit

MAX_ERROR = 4096
TEXT = {"content-type": "text/plain; charset=utf-8"}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Responder(Protocol):
    """The side of the process that asked."""

    started: bool

    async def start(
        self, status: int, headers: list[tuple[bytes, bytes]], reason: bytes = b""
    ) -> None: ...

    async def send(self, chunk: bytes) -> None: ...

    async def finish(self) -> None: ...


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """An answer that is in memory; `body` is None if the process has it already."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


async def refuse(responder: Responder, status: int, reason: str) -> None:
    """Put the reason in the status line, because many programs show nothing else."""
    text = f"Treadle: {reason}".encode("ascii", "replace")
    headers = {**TEXT, "content-length": str(len(text) + 1)}
    await responder.start(status, header_pairs(headers), text)
    await responder.send(text + b"\n")
    await responder.finish()


async def send_whole(responder: Responder, answer: WholeAnswer) -> None:
    length = {} if answer.body is None else {"content-length": str(len(answer.body))}
    await responder.start(answer.status, header_pairs({**answer.headers, **length}))
    await responder.send(answer.body or b"")
    await responder.finish()


def header_pairs(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]


async def chunks_of(response: IndexResponse, received: TransferLimit) -> AsyncIterator[bytes]:
    """The body in parts, as they arrive; raises TransferLimitReached."""
    async for chunk in response.body:
        received.take(len(chunk))
        yield chunk


async def failed_answer(
    route: IndexRoute, response: IndexResponse, received: TransferLimit
) -> WholeAnswer:
    """An answer that is no page or file. With a login, its text could repeat the login."""
    headers = dict(TEXT)
    if response.status in _REDIRECTS:
        headers["location"] = response.headers.get("location", "")
    elif "retry-after" in response.headers:
        headers["retry-after"] = response.headers["retry-after"]
    origin = origin_of(route.url)
    text = (
        f"Treadle: {origin.host if origin else 'the index'} answered {response.status}\n".encode()
    )
    if route.index.authorization is None and not response.headers.get("content-encoding"):
        text = await _beginning(response, received) or text
        headers["content-type"] = response.headers.get("content-type", TEXT["content-type"])
    return WholeAnswer(response.status, headers, text)


async def _beginning(response: IndexResponse, received: TransferLimit) -> bytes:
    body = bytearray()
    async for chunk in chunks_of(response, received):
        body += chunk
        if len(body) >= MAX_ERROR:
            break
    return bytes(body[:MAX_ERROR])
