"""A request waits for money without being told that none is left, and each day has its own."""

import asyncio
import time
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tests.builders import NOON, RUN, VENDOR_PRICES
from tests.unit.gateway.gateway_harness import (
    IMPATIENT,
    MODEL,
    PLENTY,
    WatchedLedger,
    gateway_before,
)
from treadle.adapters.stores.ledger import MemoryLedger
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Budget, LedgerEntry
from treadle.domain.model_access import ModelService
from treadle.domain.usage import Usage
from treadle.gateway.accounts import MAX_COUNTING
from treadle.gateway.model_gateway import Gateway
from treadle.gateway.request_handler import midnight_before

BIG = {"max_tokens": 16_000}  # 32 cents may be needed for each
OTHERS = LedgerEntry("x", RunId("other"), SessionId("other"), NOON, MODEL, Usage(1), 5.0)
HANGING = "{hang: middle, text: long}, {text: short, optional: true}"


async def test_a_request_that_waited_in_vain_is_asked_to_come_again() -> None:
    rules = replace(IMPATIENT, hold_s=0.0)
    async with (
        gateway_before(HANGING, budget=Budget(0.5), rules=rules) as harness,
        harness.asking(**BIG),
    ):
        answer = await harness.ask(**BIG)

    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (529, "overloaded_error")
    assert "x-should-retry" not in answer.headers
    assert error["message"].startswith("Treadle: other requests may need what the session has left")


async def test_what_another_process_has_under_way_is_waited_for_and_not_called_spent() -> None:
    ledger = WatchedLedger()
    budget = Budget(100, day_usd=5.0)
    async with gateway_before("{text: short}", budget=budget, ledger=ledger) as harness:
        ledger.put(replace(OTHERS, estimated=True))
        held = asyncio.ensure_future(harness.ask(**BIG))
        await ledger.asked(2)  # when it was opened, and for the request
        assert (held.done(), harness.api.request_count) == (False, 0)
        ledger.put(replace(OTHERS, cost_usd=0.1))

        assert (await held).status_code == 200


async def test_what_another_process_never_finished_counts_after_a_while() -> None:
    ledger = MemoryLedger()
    async with gateway_before(
        "{text: unused}", budget=Budget(100, day_usd=5.0), ledger=ledger
    ) as harness:
        ledger.put(replace(OTHERS, estimated=True, at=NOON - timedelta(minutes=30)))

        assert (await harness.ask(**BIG)).status_code == 402


class MovingClock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


async def test_a_session_over_midnight_has_the_new_days_budget() -> None:
    midnight = midnight_before(NOON) + timedelta(days=1)
    clock, ledger = MovingClock(midnight - timedelta(minutes=1)), MemoryLedger()
    budget = Budget(100, day_usd=0.5, next_day_usd=5.0)
    turns = "{text: a, usage: {input: 250000, output: 0}, repeat: 3, optional: true}"
    async with gateway_before(turns, budget=budget, ledger=ledger, now=clock) as harness:
        before = [(await harness.ask()).status_code for _ in range(2)]
        clock.now = midnight + timedelta(minutes=1)
        after = (await harness.ask()).status_code
        ledger.put(replace(OTHERS, at=midnight, cost_usd=4.0))
        spent = (await harness.ask()).status_code

    assert (before, after, spent) == ([200, 402], 200, 402)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_a_day_begins_at_midnight_where_the_machine_is(
    zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        # In New York this day has 25 hours, and the clock goes back at two.
        late = datetime(2026, 11, 1, 20, 0).astimezone()  # local on purpose
        assert midnight_before(late) == datetime(2026, 11, 1).astimezone()
    finally:
        monkeypatch.undo()
        time.tzset()


async def test_counting_tokens_is_free_but_only_a_few_at_a_time() -> None:
    open_now, most = 0, 0
    enough = asyncio.Event()

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now, most
        await reader.readuntil(b"\r\n\r\n")
        open_now += 1
        most = max(most, open_now)
        if open_now == MAX_COUNTING:
            enough.set()
        await enough.wait()
        open_now -= 1
        body = b'{"input_tokens": 3}'
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"
            b"content-length: %d\r\n\r\n%b" % (len(body), body)
        )
        writer.close()

    server = await asyncio.start_server(count, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    async with gateway_before("{text: unused}") as harness, server:
        service = ModelService(f"http://{host}:{port}")
        async with Gateway(service, MemoryLedger(), prices=VENDOR_PRICES) as gateway:
            url = gateway.open(SessionId("counting"), RUN, PLENTY).url
            answers = await asyncio.gather(
                *(
                    harness.client.post(f"{url}/v1/messages/count_tokens", json={"messages": []})
                    for _ in range(20)
                )
            )

    assert {answer.status_code for answer in answers} == {200}
    assert most == MAX_COUNTING
