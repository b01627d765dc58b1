"""Sends one request to the service, and its answer to the agent; answers errors of our own."""

from typing import TYPE_CHECKING

import orjson

from treadle.gateway.client_connection import AgentRequest, Client
from treadle.gateway.headers import Headers, to_agent
from treadle.gateway.request_charge import RequestCharge
from treadle.gateway.service_client import ServiceClient

if TYPE_CHECKING:
    import httpx2


async def forward_message(
    service: ServiceClient,
    request: AgentRequest,
    headers: Headers,
    charge: RequestCharge,
    client: Client,
) -> None:
    """Forward a request that a model answers. Once it is out, its answer is read to the end even
    if the agent leaves, because only its end tells what it cost."""
    import httpx2

    client.reads_on = True
    charge.send()
    exchange = service.stream_request(request.method, request.target, headers, request.body)
    try:
        async with exchange as response:
            charge.start(response)
            await client.start(
                response.status_code, to_agent(response.headers.raw, _content_length(response))
            )
            async for chunk in response.aiter_bytes():
                charge.feed(chunk)
                await client.send(chunk)
            charge.end()
            charge.close()  # before the agent can send its next request
            await client.finish()
    except (
        httpx2.ConnectError,
        httpx2.ConnectTimeout,
        httpx2.PoolTimeout,
        httpx2.ProxyError,
        httpx2.UnsupportedProtocol,
    ) as error:
        charge.answer_nothing()
        await _send_unreached(client, error)
    except httpx2.HTTPError as error:
        if not isinstance(error, httpx2.TimeoutException):  # then the service may still be at it
            charge.cut_off()
        # A response that has started is left unfinished, so that the agent sees the failure.
        if not client.started:
            await _send_unreached(client, error)


async def forward_count(
    service: ServiceClient, request: AgentRequest, headers: Headers, client: Client
) -> None:
    """Forward a request that costs nothing."""
    import httpx2

    exchange = service.stream_request(request.method, request.target, headers, request.body)
    try:
        async with exchange as response:
            await client.start(
                response.status_code, to_agent(response.headers.raw, _content_length(response))
            )
            async for chunk in response.aiter_bytes():
                await client.send(chunk)
            await client.finish()
    except httpx2.HTTPError as error:
        if not client.started:
            await _send_unreached(client, error)


async def send_error(client: Client, status: int, kind: str, message: str) -> None:
    """Send an error in the service's format, which agents report at once."""
    await _send_error(client, status, kind, message, [(b"x-should-retry", b"false")])


async def send_retry(client: Client, status: int, kind: str, message: str) -> None:
    """Send an error in the service's format, after which agents try again."""
    await _send_error(client, status, kind, message, [])


async def _send_unreached(client: Client, error: "httpx2.HTTPError") -> None:
    message = f"Treadle: the model service was not reached: {type(error).__name__}"
    await send_retry(client, 502, "api_error", message)


async def _send_error(client: Client, status: int, kind: str, message: str, more: Headers) -> None:
    body = orjson.dumps({"type": "error", "error": {"type": kind, "message": message}})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await client.start(status, [*headers, *more])
    await client.send(body)
    await client.finish()


def _content_length(response: "httpx2.Response") -> str | None:
    """The body's length, if it is forwarded unchanged."""
    if response.headers.get("content-encoding", "identity") != "identity":
        return None
    length = response.headers.get("content-length")
    return None if length is None else str(length)
