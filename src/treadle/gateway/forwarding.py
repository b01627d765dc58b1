"""Sends one request to the service, and its answer to the agent; answers errors of our own."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

import orjson

from treadle.domain.model_access import SecretMissing
from treadle.gateway.client_connection import AgentRequest, Client
from treadle.gateway.credentials import Credentials
from treadle.gateway.headers import Headers, to_agent
from treadle.gateway.request_charge import RequestCharge
from treadle.gateway.service_client import ServiceClient

if TYPE_CHECKING:
    import httpx2


# What a service answers to a login that it does not accept; 403 has other reasons, too.
_REFUSED = (401, 403)
# Of one request: a secret that was just renewed is rarely refused once more.
_MAX_SECRETS = 3


@dataclass(frozen=True, slots=True)
class RefusedAnswer:
    """The service's answer to a login that it refuses, which the agent has not got yet."""

    status: int
    headers: Headers
    body: bytes = field(repr=False)


async def forward_message(
    service: ServiceClient,
    credentials: Credentials,
    request: AgentRequest,
    headers: Headers,
    charge: RequestCharge,
    client: Client,
) -> None:
    """Forward a request that a model answers. If the service refuses the secret and there is
    another one, the agent does not learn of it."""

    async def exchange(sent: Headers) -> RefusedAnswer | None:
        return await _exchange_message(service, request, sent, charge, client)

    await _exchange_filled(credentials, headers, exchange, client)


async def _exchange_message(
    service: ServiceClient,
    request: AgentRequest,
    headers: Headers,
    charge: RequestCharge,
    client: Client,
) -> RefusedAnswer | None:
    """Once the request is out, its answer is read to the end even if the agent leaves, because only
    its end tells what it cost."""
    import httpx2

    client.reads_on = True
    charge.send()
    exchange = service.stream_request(request.method, request.target, headers, request.body)
    try:
        async with exchange as response:
            charge.start(response)
            if response.status_code in _REFUSED:
                client.reads_on = False
                return await _read_refusal(response)
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
    return None


async def forward_count(
    service: ServiceClient,
    credentials: Credentials,
    request: AgentRequest,
    headers: Headers,
    client: Client,
) -> None:
    """Forward a request that costs nothing."""

    async def exchange(sent: Headers) -> RefusedAnswer | None:
        return await _exchange_count(service, request, sent, client)

    await _exchange_filled(credentials, headers, exchange, client)


async def _exchange_filled(
    credentials: Credentials,
    headers: Headers,
    exchange: Callable[[Headers], Awaitable[RefusedAnswer | None]],
    client: Client,
) -> None:
    for tries_left in reversed(range(_MAX_SECRETS)):
        filled = await credentials.fill(headers)
        if isinstance(filled, SecretMissing):
            await _send_missing(client, filled)
            return
        refused = await exchange(filled.headers)
        if refused is None:
            return
        if not tries_left or not await filled.replace_refused():
            await _send_refused(client, refused)
            return


async def _exchange_count(
    service: ServiceClient, request: AgentRequest, headers: Headers, client: Client
) -> RefusedAnswer | None:
    import httpx2

    exchange = service.stream_request(request.method, request.target, headers, request.body)
    try:
        async with exchange as response:
            if response.status_code in _REFUSED:
                return await _read_refusal(response)
            await client.start(
                response.status_code, to_agent(response.headers.raw, _content_length(response))
            )
            async for chunk in response.aiter_bytes():
                await client.send(chunk)
            await client.finish()
    except httpx2.HTTPError as error:
        if not client.started:
            await _send_unreached(client, error)
    return None


async def _read_refusal(response: "httpx2.Response") -> RefusedAnswer:
    headers = to_agent(response.headers.raw, _content_length(response))
    return RefusedAnswer(response.status_code, headers, await response.aread())


async def _send_refused(client: Client, refused: RefusedAnswer) -> None:
    await client.start(refused.status, refused.headers)
    await client.send(refused.body)
    await client.finish()


async def _send_missing(client: Client, missing: SecretMissing) -> None:
    match missing.cause:
        case "login":
            await send_error(client, 401, "authentication_error", f"Treadle: {missing.message}")
        case "service":
            await send_retry(client, 529, "overloaded_error", f"Treadle: {missing.message}")
        case never:
            assert_never(never)


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
