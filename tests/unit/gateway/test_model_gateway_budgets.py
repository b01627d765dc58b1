"""No session, run or day goes beyond its budget by more than one response."""

import asyncio
from dataclasses import replace
from math import inf

import pytest

from tests.builders import NOON, RUN
from tests.unit.gateway.gateway_harness import MODEL, PLENTY, WatchedLedger, gateway_before
from treadle.adapters.stores.ledger import MemoryLedger
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Budget, BudgetLevel, LedgerEntry
from treadle.domain.session import BudgetExceeded
from treadle.domain.usage import Usage
from treadle.session.budget_refusal import parse_budget_refusal

# One dollar each.
DOLLAR = "{text: hello, usage: {input: 250000, output: 0}, repeat: 9, optional: true}"
OTHER_RUN = LedgerEntry("x", RunId("other"), SessionId("other"), NOON, MODEL, Usage(), 5.0)
SAME_RUN = replace(OTHER_RUN, run=RUN)


@pytest.mark.parametrize(
    ("budget_usd", "answered"), [(0.01, 1), (1.0, 1), (1.01, 2), (3.0, 3), (0.0, 0), (-1.0, 0)]
)
async def test_a_budget_ends_within_one_response(budget_usd: float, answered: int) -> None:
    async with gateway_before(DOLLAR, budget=Budget(budget_usd)) as harness:
        statuses = [(await harness.ask()).status_code for _ in range(answered + 2)]

    assert statuses == [200] * answered + [402, 402]
    assert harness.api.request_count == answered


async def test_a_refusal_is_known_as_ours_and_not_tried_again() -> None:
    async with gateway_before(DOLLAR, budget=Budget(0.0)) as harness:
        answer = await harness.ask()

    error = answer.json()["error"]
    assert (answer.headers["x-should-retry"], error["type"]) == ("false", "billing_error")
    assert parse_budget_refusal(error["message"]) == BudgetExceeded(0.0)


async def test_a_response_of_a_thousand_dollars_is_the_last_one() -> None:
    dear = "{text: hello, usage: {input: 250000000, output: 0}, repeat: 3, optional: true}"
    async with gateway_before(dear, budget=Budget(10.0)) as harness:
        statuses = [(await harness.ask()).status_code for _ in range(3)]
        bill = await harness.close()

    assert (statuses, bill.cost_usd) == ([200, 402, 402], 1000.0)


async def test_counting_tokens_is_free_even_when_the_money_is_spent() -> None:
    async with gateway_before(DOLLAR, budget=Budget(0.0)) as harness:
        url = f"{harness.url}/v1/messages/count_tokens"
        counted = await harness.client.post(url, json={"messages": []})

    assert counted.status_code == 200


@pytest.mark.parametrize(
    ("budget", "spent_meanwhile", "level"),
    [
        (Budget(100, run_usd=5.0), SAME_RUN, "run"),
        (Budget(100, run_usd=5.0), OTHER_RUN, None),
        (Budget(100, day_usd=5.0), OTHER_RUN, "day"),
        (Budget(100, day_usd=5.0), replace(OTHER_RUN, rehearsal=True), None),
        (Budget(100, day_usd=inf), OTHER_RUN, None),
    ],
)
async def test_what_others_spend_counts_where_the_budget_is_shared(
    budget: Budget, spent_meanwhile: LedgerEntry, level: BudgetLevel | None
) -> None:
    async with gateway_before(DOLLAR, budget=budget) as harness:
        harness.ledger.put(spent_meanwhile)
        answer = await harness.ask()

    assert answer.status_code == (402 if level else 200)
    assert level is None or f"the {level} had $5.0000 left" in answer.text


async def test_what_was_spent_before_a_session_is_not_counted_against_it() -> None:
    ledger = MemoryLedger()
    ledger.put(OTHER_RUN)
    async with gateway_before(DOLLAR, budget=Budget(2, 2, 2), ledger=ledger) as harness:
        assert (await harness.ask()).status_code == 200


async def test_a_request_waits_while_another_may_spend_what_is_left() -> None:
    ledger = WatchedLedger()
    turns = "{hang: middle, text: long}, {text: short, optional: true}"
    async with gateway_before(turns, budget=Budget(0.5), ledger=ledger) as harness:
        big = {"max_tokens": 16_000}  # 32 cents may be needed for each
        first = asyncio.ensure_future(harness.ask(**big))
        await harness.api.wait_for_requests(1)
        second = asyncio.ensure_future(harness.ask(**big))
        await ledger.asked(3)  # when it was opened, and once for each request

        assert (second.done(), harness.api.request_count) == (False, 1)
        first.cancel()  # its answer is read on for a while, and then counts at its limit
        assert (await second).status_code == 200


async def test_many_at_once_do_not_go_beyond_the_budget_together() -> None:
    cents = "{text: hello, usage: {input: 0, output: 16000}, repeat: 20, optional: true}"
    async with gateway_before(cents, budget=Budget(1.0)) as harness:
        answers = await asyncio.gather(*(harness.ask(max_tokens=16_000) for _ in range(12)))
        bill = await harness.close()

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200] * 4 + [402] * 8
    assert bill.cost_usd == pytest.approx(1.28)  # within one response of 32 cents


async def test_sessions_of_one_gateway_hold_back_for_each_other() -> None:
    cents = "{text: hello, usage: {input: 0, output: 16000}, repeat: 20, optional: true}"
    async with gateway_before(cents, budget=replace(PLENTY, day_usd=1.0)) as harness:
        addresses = [harness.url] + [
            harness.gateway.open(
                SessionId(f"more-{n}"), RunId(f"run-{n}"), Budget(9, day_usd=1.0)
            ).url
            for n in range(5)
        ]
        asked = {"model": MODEL, "max_tokens": 16_000, "stream": True, "messages": []}
        answers = await asyncio.gather(
            *(harness.client.post(f"{url}/v1/messages", json=asked) for url in addresses * 2)
        )

    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [402] * 8
