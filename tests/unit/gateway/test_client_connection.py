"""One connection carries many requests; what is no request is refused, and nothing is left over."""

import asyncio
import socket
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.builders import RUN, VENDOR_PRICES
from tests.unit.gateway.gateway_harness import (
    ASKED,
    PLENTY,
    SESSION,
    GatewayHarness,
    gateway_before,
)
from treadle.adapters.stores.ledger import MemoryLedger
from treadle.domain.ids import SessionId
from treadle.domain.model_access import Endpoint, ModelService
from treadle.gateway.capacity import MAX_BODY, MAX_CONNECTIONS, ConnectionCapacity
from treadle.gateway.client_connection import AgentRequest, Client, serve_connection
from treadle.gateway.model_gateway import Gateway

COUNT = b'{"messages":[{}]}'


async def spoken(harness: GatewayHarness, content: bytes) -> bytes:
    """All that is answered to these bytes on one connection."""
    address = urlsplit(harness.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(content.replace(b"TOKEN", address.path.encode()))
    answer = await reader.read()
    writer.close()
    return answer


def counting(*headers: bytes, body: bytes = COUNT) -> bytes:
    head = [b"POST TOKEN/v1/messages/count_tokens HTTP/1.1", b"host: x", *headers]
    return b"\r\n".join([*head, b"content-length: %d" % len(COUNT), b"", body])


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"this is not a request\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),  # for nobody
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nhost: x\r\nlong: " + b"x" * 400_000 + b"\r\n\r\n", b"431"),
    ],
)
async def test_what_is_no_request_is_refused(sent: bytes, status: bytes) -> None:
    async with gateway_before("{text: unused}") as harness:
        assert (await spoken(harness, sent)).split()[1] == status


async def test_requests_that_come_at_once_are_answered_in_turn() -> None:
    async with gateway_before("{text: unused}") as harness:
        answers = await spoken(harness, counting() + counting(b"connection: close"))

    assert answers.count(b'{"input_tokens": 4}') == 2


async def test_a_body_that_waits_for_leave_gets_it() -> None:
    async with gateway_before("{text: unused}") as harness:
        address = urlsplit(harness.url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        head = counting(b"expect: 100-continue", b"connection: close", body=b"")
        writer.write(head.replace(b"TOKEN", address.path.encode()))
        leave = await reader.readuntil(b"\r\n\r\n")
        writer.write(COUNT)
        answer = await reader.read()
        writer.close()

    assert leave.startswith(b"HTTP/1.1 100")
    assert b'{"input_tokens": 4}' in answer


async def test_a_gateway_that_ends_leaves_a_row_for_what_was_under_way() -> None:
    ledger = MemoryLedger()
    async with gateway_before("{hang: middle, text: a long story}") as harness:
        gateway = Gateway(
            ModelService(harness.api.base_url), ledger, prices=VENDOR_PRICES
        ).__enter__()
        harness.url = gateway.open(SESSION, RUN, PLENTY).url
        async with harness.asking() as lines:
            async for line in lines:
                if "message_start" in line:
                    break
            gateway.__exit__()
            with pytest.raises(httpx2.HTTPError):
                async for _ in lines:
                    pass

    assert [entry.estimated for entry in ledger.entries] == [True]


@pytest.mark.parametrize("closed", [True, False])
async def test_an_agent_that_reads_nothing_does_not_hold_up_the_end(closed: bool) -> None:
    async with gateway_before("{text_of: {size: 30000000}, chunk: 100000}") as harness:
        address = urlsplit(harness.url)
        _, writer = await asyncio.open_connection(address.hostname, address.port)
        body = httpx2.Request("POST", harness.url, json=ASKED).content
        head = f"POST {address.path}/v1/messages HTTP/1.1\r\nhost: x\r\n"
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        await harness.api.wait_for_requests(1)
        if closed:
            await harness.close()

    writer.close()
    assert len(harness.entries) <= 1


async def connected(endpoint: Endpoint) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_unix_connection(endpoint.socket)


def unfinished(size: int, *, announced: int) -> bytes:
    head = b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % announced
    return head + b"x" * size


async def status_of(reader: asyncio.StreamReader) -> bytes:
    """Of an answer after which the connection is closed."""
    answer = await reader.read()
    assert b"connection: close" in answer.lower()
    return answer.split()[1]


async def test_a_request_larger_than_the_service_takes_is_refused() -> None:
    async with gateway_before("{text: unused}") as harness:
        reader, writer = await connected(harness.gateway.open(SESSION, RUN, PLENTY))
        writer.write(unfinished(MAX_BODY + 1, announced=2 * MAX_BODY))

        assert await status_of(reader) == b"413"
        writer.close()


async def test_all_requests_together_have_so_much_room_until_they_are_answered() -> None:
    room, asked_for, answered = ConnectionCapacity(max_bytes=10), asyncio.Event(), asyncio.Event()

    async def answer(request: AgentRequest, client: Client) -> None:
        asked_for.set()
        await answered.wait()
        await client.start(200, [(b"content-length", b"0")])
        await client.finish()

    async def opened() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        ours, theirs = socket.socketpair()
        ends = await asyncio.open_unix_connection(sock=theirs)
        conversations.add(asyncio.ensure_future(serve_connection(*ends, answer, room)))
        return await asyncio.open_unix_connection(sock=ours)

    conversations: set[asyncio.Task[None]] = set()
    (first, out), (second, beside) = await opened(), await opened()
    out.write(unfinished(8, announced=8))
    await asked_for.wait()
    beside.write(unfinished(8, announced=8))
    refused = await status_of(second)
    answered.set()
    statuses = [await first.readuntil(b"\r\n\r\n")]
    out.write(unfinished(8, announced=8))
    statuses.append(await first.readuntil(b"\r\n\r\n"))
    for writer in (out, beside):
        writer.close()
    await asyncio.wait(conversations)

    assert refused == b"503"
    assert [status.split()[1] for status in statuses] == [b"200", b"200"]
    assert room == ConnectionCapacity(max_bytes=10)


async def test_a_session_has_so_many_connections_and_another_has_its_own() -> None:
    async with gateway_before("{text: unused}") as harness:
        endpoint = harness.gateway.open(SESSION, RUN, PLENTY)
        other = harness.gateway.open(SessionId("session-2"), RUN, PLENTY)
        ends = [await connected(endpoint) for _ in range(MAX_CONNECTIONS + 1)]
        refused = await status_of(ends[-1][0])
        reader, writer = await connected(other)
        writer.write(b"HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        greeted = await reader.read(12)
        ends[0][1].write(b"HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        still = await ends[0][0].read(12)
        for _, each in (*ends, (reader, writer)):
            each.close()

    assert (refused, greeted, still) == (b"503", b"HTTP/1.1 200", b"HTTP/1.1 200")


@pytest.mark.parametrize("begun", [b"POST /v1/mess", unfinished(10, announced=11)])
async def test_a_request_that_does_not_come_to_its_end_is_given_up(begun: bytes) -> None:
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_unix_connection(sock=ours)
    client = Client(*await asyncio.open_unix_connection(sock=theirs), room := ConnectionCapacity())
    writer.write(begun)

    with pytest.raises(TimeoutError):
        await client.next_request(arrival_s=0.0)
    await client.close()

    assert (await reader.read(), room.held_bytes) == (b"", 0)
    writer.close()
