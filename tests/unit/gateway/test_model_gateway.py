"""Every request passes one gateway, which meters the answer and passes it on unchanged."""

import asyncio
import gzip
import json
from dataclasses import replace
from datetime import timedelta

import httpx2
import pytest

from tests.builders import NOON, RUN, VENDOR_PRICES
from tests.unit.gateway.gateway_harness import (
    ASKED,
    MODEL,
    PLENTY,
    SESSION,
    UNENCRYPTED,
    FailingLedger,
    gateway_before,
)
from treadle.adapters.stores.ledger import MemoryLedger
from treadle.domain.errors import StoreError
from treadle.domain.ledger import Bill, LedgerEntry, WindowShare
from treadle.domain.model_access import ModelService
from treadle.domain.usage import Usage
from treadle.gateway.model_gateway import Gateway

BUCKETS = "usage: {input: 1000, output: 200, cache_write: 300, cache_read: 4000}"
# 4, 20, 5 and 0.20 dollars per million.
COST = 0.0103
ENTRY = LedgerEntry(
    id="",
    run=RUN,
    session=SESSION,
    at=NOON,
    model=MODEL,
    usage=Usage(1000, 200, 300, 4000),
    cost_usd=COST,
)


def unnamed(entries: tuple[LedgerEntry, ...]) -> list[LedgerEntry]:
    return [replace(entry, id="") for entry in entries]


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_passes_unchanged_and_is_one_row_in_the_ledger(stream: bool) -> None:
    async with gateway_before(f"{{text: hello, {BUCKETS}}}, {{text: hello, {BUCKETS}}}") as harness:
        answer = await harness.ask(stream=stream)
        direct = await harness.client.post(
            f"{harness.api.base_url}/v1/messages", json=ASKED | {"stream": stream}
        )
        bill = await harness.close()

    number = direct.headers["request-id"][-4:]
    assert answer.text.replace("0001", number) == direct.text
    assert answer.headers["content-type"] == direct.headers["content-type"]
    assert unnamed(harness.entries) == [ENTRY]
    assert bill == Bill(1, COST, ENTRY.usage)


async def test_what_asks_for_no_message_is_passed_on_and_costs_nothing() -> None:
    async with gateway_before("{text: unused}") as harness:
        counted = await harness.client.post(
            f"{harness.url}/v1/messages/count_tokens", json={"messages": []}
        )
        greeted = await harness.client.head(harness.url)

        assert (counted.status_code, counted.json()) == (200, {"input_tokens": 3})
        assert (greeted.status_code, greeted.content) == (200, b"")
        assert await harness.close() == Bill()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/messages"),
        ("POST", "/v1/files"),
        ("POST", "/v1/messages/batches"),
        ("DELETE", "/v1/messages"),
        ("POST", "/../v1/messages"),
    ],
)
async def test_everything_else_is_refused_without_a_retry(method: str, path: str) -> None:
    async with gateway_before("{text: unused}") as harness:
        refused = await harness.client.request(method, harness.url + path)

        assert (refused.status_code, refused.headers["x-should-retry"]) == (403, "false")
        assert harness.api.request_count == 0


async def test_an_address_that_is_nobodys_is_refused() -> None:
    async with gateway_before("{text: unused}") as harness:
        own = harness.url
        await harness.close()
        closed = await harness.ask()
        harness.url = own.rpartition("/")[0] + "/guessed"
        unknown = await harness.ask()

        assert [closed.status_code, unknown.status_code] == [403, 403]
        assert closed.text == unknown.text
        assert harness.api.request_count == 0


async def test_a_session_that_is_opened_anew_has_a_new_address() -> None:
    async with gateway_before("{text: hello}") as harness:
        old = harness.url
        harness.url = harness.gateway.open(SESSION, RUN, PLENTY).url
        fresh = await harness.ask()
        harness.url = old

        assert (fresh.status_code, (await harness.ask()).status_code) == (200, 403)


async def test_errors_of_the_service_pass_and_are_no_rows() -> None:
    error = "{error: {status: 529, headers: {retry-after: 7}}}"
    async with gateway_before(error) as harness:
        failed = await harness.ask()

        assert (failed.status_code, failed.headers["retry-after"]) == (529, "7")
        assert await harness.close() == Bill()


async def test_a_service_that_is_away_may_be_tried_again() -> None:
    async with gateway_before("{text: unused}") as harness:
        away = ModelService("http://127.0.0.1:9")
        async with Gateway(away, harness.ledger, prices=VENDOR_PRICES) as gateway:
            harness.url = gateway.open(SESSION, RUN, PLENTY).url
            answer = await harness.ask()

    assert answer.status_code == 502
    assert "x-should-retry" not in answer.headers
    assert answer.json()["error"]["type"] == "api_error"


@pytest.mark.parametrize("turn", ["{drop: middle, text: never finished}", "{drop: before}"])
async def test_an_answer_that_is_cut_off_is_cut_off_for_the_agent_too(turn: str) -> None:
    async with gateway_before(turn) as harness:
        if "before" in turn:
            assert (await harness.ask()).status_code == 502
        else:
            with pytest.raises(httpx2.RemoteProtocolError):
                await harness.ask()
        bill = await harness.close()

    assert [entry.estimated for entry in harness.entries] == [True]
    assert bill.requests == 1


async def test_an_answer_that_its_reader_leaves_is_counted_at_its_limit() -> None:
    async with gateway_before("{hang: middle, text: a long story, chunk: 1}") as harness:
        async with harness.asking() as lines:
            async for line in lines:
                if "content_block_delta" in line:
                    break
        bill = await harness.close()

    (entry,) = harness.entries
    assert (entry.estimated, entry.usage) == (True, Usage(100, 100))
    assert bill == Bill(1, entry.cost_usd, entry.usage, estimated=True)


async def test_a_row_is_there_before_an_answer_begins() -> None:
    async with gateway_before("{hang: before}") as harness:
        asking = asyncio.ensure_future(harness.ask())
        await harness.api.wait_for_requests(1)

        assert [(entry.estimated, entry.usage.output_tokens) for entry in harness.entries] == [
            (True, 100)
        ]
        asking.cancel()


async def test_closing_a_session_ends_what_is_under_way() -> None:
    async with gateway_before("{hang: middle, text: a long story}") as harness:
        asking = asyncio.ensure_future(harness.ask())
        await harness.api.wait_for_requests(1)
        bill = await harness.close()

        with pytest.raises(httpx2.HTTPError):
            await asking
    assert (bill.requests, bill.estimated) == (1, True)


async def test_sub_agents_and_windows_of_a_subscription_are_in_the_row() -> None:
    warning = "{text: hello, quota_warning: {used: 0.92, resets_in: 60, window: seven_day}}"
    async with gateway_before(warning) as harness:
        harness.client.headers = httpx2.Headers(
            {"authorization": "Bearer t", "x-claude-code-agent-id": "agent-7"}
        )
        await harness.ask()
        await harness.close()

    reset = NOON + timedelta(seconds=60)
    assert unnamed(harness.entries) == [
        replace(
            ENTRY,
            usage=Usage(100, 20),
            cost_usd=0.0008,
            subscription=True,
            agent="agent-7",
            windows=(WindowShare("5h", 0.5, reset), WindowShare("7d", 0.92, reset)),
        )
    ]


async def test_a_model_without_a_price_counts_at_the_dearest_and_says_so() -> None:
    async with gateway_before("{text: hello, usage: {input: 1000000, output: 0}}") as harness:
        await harness.ask(model="gpt-9")
        bill = await harness.close()

    assert replace(bill, warnings=()) == Bill(1, 15.0, Usage(1_000_000), priced=False)
    assert [warning.split(":")[0] for warning in bill.warnings] == ["no price is known for gpt-9"]


async def test_many_answers_pass_at_once() -> None:
    async with gateway_before("{text_of: {size: 50000}, chunk: 100, repeat: 12}") as harness:
        answers = await asyncio.gather(*(harness.ask(stream=n % 2 == 0) for n in range(12)))
        bill = await harness.close()

    assert {answer.status_code for answer in answers} == {200}
    assert min(len(answer.text) for answer in answers) > 50_000
    assert (bill.requests, bill.usage) == (12, Usage(1200, 240))


async def test_what_cannot_be_written_down_stops_the_spending_and_is_not_lost() -> None:
    ledger = FailingLedger()
    async with gateway_before("{text: hello, delay: 0.01}", ledger=ledger) as harness:
        asking = asyncio.ensure_future(harness.ask())
        await harness.api.wait_for_requests(1)
        ledger.full = True
        first = await asking
        second = await harness.ask()
        with pytest.raises(StoreError, match="no space left"):
            await harness.close()
        ledger.full = False
        bill = await harness.close()

    assert (first.status_code, second.status_code) == (200, 500)
    assert second.headers["x-should-retry"] == "false"
    assert "no space left" in second.text
    assert (bill.requests, bill.estimated) == (1, False)
    assert harness.api.request_count == 1


async def test_an_answer_that_comes_packed_is_unpacked_and_metered() -> None:
    message = {"type": "message", "model": MODEL, "usage": {"input_tokens": 5, "output_tokens": 6}}

    async def packed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = gzip.compress(json.dumps(message).encode())
        head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n"
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        writer.close()

    ledger = MemoryLedger()
    server = await asyncio.start_server(packed, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    service = ModelService(f"http://{host}:{port}")
    async with server, Gateway(service, ledger, prices=VENDOR_PRICES) as gateway:
        async with httpx2.AsyncClient(trust_env=False, verify=UNENCRYPTED) as client:
            url = gateway.open(SESSION, RUN, PLENTY).url
            answer = await client.post(f"{url}/v1/messages", json=ASKED)
        bill = await gateway.close(SESSION)

    assert answer.json() == message
    assert bill.usage == Usage(5, 6)
