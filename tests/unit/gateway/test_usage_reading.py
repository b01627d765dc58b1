"""All that a service bills for a response is priced, and what nobody knows at the highest price."""

from typing import Any

import pytest

from tests.builders import VENDOR_PRICES
from tests.unit.gateway.gateway_harness import GatewayHarness, gateway_before
from treadle.domain.ledger import Bill
from treadle.domain.model_access import Login, PlaceholderSecret, StaticSecret
from treadle.domain.price import ResponseExtras
from treadle.domain.usage import Usage
from treadle.gateway.usage_reading import price_reading, read_message

FAST_USD = 0.1 * 30 + 0.02 * 150  # of claude-opus-4-6
OPUS = {"model": "claude-opus-5-5"}


async def billed(turn: str, **changes: Any) -> tuple[Bill, float]:
    """What the ledger says of one response, and what the service's own book says."""
    async with gateway_before(turn) as harness:
        assert (await harness.ask(**changes)).status_code == 200
        bill = await harness.close()
    return bill, service_usd(harness)


def service_usd(harness: GatewayHarness) -> float:
    return sum(
        VENDOR_PRICES.estimate(each.usage, each.model, ResponseExtras(fast=each.fast)).cost_usd
        for each in harness.api.bill
    )


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("turn", "model", "usd"),
    [
        ("{input: 100000, output: 20000, speed: fast}", "claude-opus-4-6", FAST_USD),
        ("{input: 100000, output: 20000, speed: fast}", "claude-opus-5-5", 1.6),
        ("{input: 100000, output: 20000, speed: fast}", "claude-sonnet-5-5", FAST_USD),
        (
            "{input: 5000, output: 1000, iterations: [{type: compaction, input: 900000,"
            " output: 40000}]}",
            "claude-opus-5-5",
            4.44,
        ),
        (
            "{input: 5000, output: 1000, iterations: [{type: advisor_message,"
            " model: claude-opus-4-1, input: 100000, output: 1000}]}",
            "claude-opus-5-5",
            1.615,
        ),
        (
            "{input: 5000, output: 1000, iterations: [{type: thing_of_tomorrow, input: 100000,"
            " output: 0}, {type: thing_of_tomorrow, input: 100000, output: 0}]}",
            "claude-opus-5-5",
            0.84,
        ),
        (
            "{input: 5000, output: 1000, speed: fast, iterations: [{type: compaction,"
            " input: 100000, output: 0}]}",
            "claude-opus-5-5",
            0.88,
        ),
    ],
    ids=["fast", "fast 5.5", "fast without a price", "compaction", "advisor", "unknown", "both"],
)
async def test_the_ledger_has_what_the_service_bills(
    turn: str, model: str, usd: float, *, stream: bool
) -> None:
    bill, service = await billed(f"{{text: a, usage: {turn}}}", model=model, stream=stream)

    assert bill.cost_usd == pytest.approx(usd)
    assert bill.cost_usd >= service - 1e-9


async def test_another_model_than_the_one_asked_for_has_its_own_price() -> None:
    turn = "{text: a, model: claude-opus-4-1, usage: {input: 100000, output: 0}}"
    bill, service = await billed(turn, model="claude-haiku-5-5")

    assert bill.cost_usd == pytest.approx(service) == pytest.approx(1.5)


def usage(**changes: Any) -> dict[str, Any]:
    return OPUS | {"usage": {"input_tokens": 100_000, "output_tokens": 0} | changes}


@pytest.mark.parametrize(
    ("message", "unknown"),
    [
        (usage(reasoning_tokens=5), ("reasoning_tokens",)),
        (
            usage(server_tool_use={"code_execution_requests": 1}),
            ("server_tool_use.code_execution_requests",),
        ),
        (usage(speed="ludicrous"), ("speed ludicrous",)),
        (usage(service_tier="flex"), ("service_tier flex",)),
        (usage(inference_geo="moon"), ("inference_geo moon",)),
        (usage(iterations=[{"type": "message", "gpu_seconds": 7}]), ("gpu_seconds",)),
    ],
)
def test_a_figure_that_nobody_knows_makes_the_response_count_at_the_highest_price(
    message: dict[str, Any], unknown: tuple[str, ...]
) -> None:
    reading = read_message(message, complete=True)
    cost = price_reading(reading, "", VENDOR_PRICES)

    assert (reading.extras.unknown, cost.cost_usd, cost.priced) == (unknown, 1.5, False)


@pytest.mark.parametrize(
    "message",
    [
        usage(reasoning_tokens=0, gpu=None, server_tool_use={"other": 0}),
        usage(output_tokens_details={"thinking_tokens": 9}, service_tier="priority"),
        usage(fallback_credit={"tokens": 3}, speed="standard", iterations=None),
    ],
)
def test_what_is_empty_or_has_no_price_of_its_own_changes_nothing(message: dict[str, Any]) -> None:
    reading = read_message(message, complete=True)

    assert price_reading(reading, "", VENDOR_PRICES).cost_usd == pytest.approx(0.4)
    assert reading.extras.unknown == ()


def test_cache_writes_count_by_their_parts_if_there_is_no_sum() -> None:
    split = {"ephemeral_5m_input_tokens": 100_000, "ephemeral_1h_input_tokens": 100_000}
    reading = read_message(usage(input_tokens=0, cache_creation=split), complete=True)

    assert reading.usage == Usage(0, 0, 200_000, 0, 100_000)
    assert price_reading(reading, "", VENDOR_PRICES).cost_usd == pytest.approx(1.3)


async def test_a_person_is_told_once_of_what_has_no_price() -> None:
    async with gateway_before("{text: a, model: gpt-9, repeat: 3}") as harness:
        for _ in range(3):
            await harness.ask()
        bill = await harness.close()

    assert bill.warnings == (
        "no price is known for gpt-9: it counts at the highest known price;"
        " `prices` in treadle.toml sets one",
    )


API_KEY, TOKEN = b"word-key", b"word-token"
LOGIN = Login(
    secrets=(
        PlaceholderSecret(API_KEY, StaticSecret(b"key")),
        PlaceholderSecret(TOKEN, StaticSecret(b"token")),
    ),
    subscriptions=frozenset({TOKEN}),
    paid_by_use=frozenset({API_KEY}),
)
KEY = ("x-api-key", "word-key")
OAUTH = ("anthropic-beta", "oauth-2025-04-20")


@pytest.mark.parametrize(
    ("headers", "subscription"),
    [
        ([KEY], False),
        ([KEY, ("x-api-key", ""), OAUTH], False),
        ([KEY, OAUTH, ("anthropic-ratelimit-unified-status", "allowed")], False),
        ([("authorization", "Bearer word-key"), OAUTH], False),
        ([KEY, ("authorization", "Bearer word-token"), OAUTH], False),
        ([("authorization", "Bearer mine"), OAUTH], False),
        ([("authorization", "Bearer word-token")], True),
    ],
)
async def test_a_row_is_a_subscriptions_by_the_login_that_was_put_in(
    headers: list[tuple[str, str]], *, subscription: bool
) -> None:
    async with gateway_before("{text: a}", login=LOGIN) as harness:
        harness.client.headers.clear()
        answer = await harness.client.post(
            f"{harness.url}/v1/messages",
            json=OPUS | {"max_tokens": 5, "messages": []},
            headers=headers,
        )
        bill = await harness.close()

    assert (answer.status_code, bill.subscription) == (200, subscription)
