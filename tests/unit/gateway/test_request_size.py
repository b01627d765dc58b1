"""What is reserved for a request covers what it can cost, however its prompt is made."""

import asyncio
from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest

from tests.builders import VENDOR_PRICES
from tests.unit.gateway.gateway_harness import GatewayHarness, WatchedLedger, gateway_before
from treadle.domain.ledger import Budget
from treadle.domain.price import ResponseExtras
from treadle.domain.usage import Usage
from treadle.gateway.request_rules import serialize_body
from treadle.gateway.request_size import (
    ADDED_TOKENS,
    DOCUMENT_TOKENS,
    IMAGE_TOKENS,
    RequestSize,
    measure,
    reservation,
)

TINY_PDF = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
}


def said(*blocks: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": list(blocks)}]


def image(size: int) -> dict[str, Any]:
    data = b64encode(b"\xff" * size).decode()
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": data},
    }


def size_of(**request: Any) -> RequestSize:
    return measure(request, serialize_body(request) or b"")


def prompt_tokens(**request: Any) -> int:
    """Beyond what an empty request of this form has."""
    return size_of(**request).prompt.prompt_tokens - ADDED_TOKENS


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("word " * 100_000, 100_000),  # plain words have more letters to a token
        ("7" * 900_000, 900_000),  # digits may be a token each
        ("XQZJ" * 100_000, 400_000),  # and capitals
        ("{}[];" * 100_000, 500_000),
        ("\u1234" * 300_000, 900_000),  # three bytes each
        ("a b c d " * 100_000, 400_000),
    ],
)
def test_a_prompt_counts_in_full_whatever_it_is_made_of(text: str, least: int) -> None:
    assert least <= prompt_tokens(messages=[{"role": "user", "content": text}]) < 3 * least + 100


def test_pictures_count_by_the_piece_and_not_by_their_bytes() -> None:
    few, many = (
        prompt_tokens(messages=said(image(90_000))),
        prompt_tokens(messages=said(*[image(30)] * 20)),
    )

    assert IMAGE_TOKENS < few < IMAGE_TOKENS + 200
    assert 20 * IMAGE_TOKENS < many < 20 * IMAGE_TOKENS + 4000


@pytest.mark.parametrize(
    "messages",
    [
        said(TINY_PDF),
        said({"type": "tool_result", "tool_use_id": "t", "content": [TINY_PDF]}),
    ],
)
def test_a_document_has_no_known_size(messages: list[dict[str, Any]]) -> None:
    found = size_of(messages=messages)

    assert found.unsized
    assert found.prompt.prompt_tokens > DOCUMENT_TOKENS


def test_a_text_that_is_called_a_picture_counts_as_text() -> None:
    hidden = {"type": "image", "source": {"type": "base64", "data": "7" * 500_000}}
    block = {"type": "tool_use", "id": "t", "name": "Bash", "input": hidden}

    assert prompt_tokens(messages=said(block)) > 500_000


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"max_tokens": 64_000}, RequestSize("opus", Usage(), 64_000)),
        ({}, RequestSize("opus", Usage(), 16_000)),
        ({"max_tokens": 10**18}, RequestSize("opus", Usage(), 10**9)),
        (
            {"max_tokens": 9, "messages": [{"role": "system", "speed": "fast"}]},
            RequestSize("opus", Usage(), 9, extras=ResponseExtras(fast=True)),
        ),
        (
            {"max_tokens": 9, "messages": [{"role": "user", "content": '"speed":"fast"'}]},
            RequestSize("opus", Usage(), 9),
        ),
        (
            {"max_tokens": 5, "thinking": {"type": "enabled", "budget_tokens": 90_000}},
            RequestSize("opus", Usage(), 90_005, thinks=True),
        ),
        (
            {"max_tokens": 9, "thinking": {"type": "disabled"}},
            RequestSize("opus", Usage(), 9),
        ),
        (
            {"max_tokens": 9, "speed": "fast", "inference_geo": "us"},
            RequestSize("opus", Usage(), 9, extras=ResponseExtras(in_us=True, fast=True)),
        ),
        (
            {"max_tokens": 9, "fallbacks": [{"model": "claude-opus-4-1"}]},
            RequestSize(
                "opus", Usage(), 9, other_models=("claude-opus-4-1",), answers=2, unsized=True
            ),
        ),
        (
            {"max_tokens": 9, "fallbacks": "default"},
            RequestSize("opus", Usage(), 9, other_models=("default",), answers=2, unsized=True),
        ),
        (
            {"max_tokens": 9, "context_management": {"edits": [{"type": "compact_20260112"}]}},
            RequestSize("opus", Usage(), 9, answers=2, unsized=True),
        ),
        (
            {"max_tokens": 9, "tools": [{"type": "web_search_20250305"}]},
            RequestSize("opus", Usage(), 9, unsized=True),
        ),
    ],
)
def test_a_request_says_what_it_may_lead_to(changes: dict[str, Any], found: RequestSize) -> None:
    measured = size_of(model="opus", **changes)

    assert measured == replace(found, prompt=measured.prompt)


@pytest.mark.parametrize(
    ("size", "usd"),
    [
        (RequestSize("opus", Usage(100_000), 1_000), 0.42),
        (RequestSize("opus", Usage(), 128_000), 2.56),
        (RequestSize("opus", Usage(900_000), 0), 3.6),
        (RequestSize("opus", Usage(cache_write_tokens=100_000), 0), 0.5),
        (RequestSize("opus", Usage(0, 0, 100_000, 0, 100_000), 0), 0.8),
        (RequestSize("opus", Usage(100_000), 0, extras=ResponseExtras(fast=True)), 0.8),
        (RequestSize("haiku", Usage(100_001), 0), 0.0500005),  # above its tier
        (RequestSize("opus", Usage(100_000), 0, answers=2), 0.8),
        (RequestSize("haiku", Usage(10_000), 0, ("opus",), answers=2), 0.08),
        (RequestSize("gpt-9", Usage(100_000), 0), 1.5),  # without a price: the dearest
    ],
)
def test_the_most_that_a_request_may_cost_is_reserved(size: RequestSize, usd: float) -> None:
    assert reservation(size, VENDOR_PRICES) == pytest.approx(usd)


def cache_of(messages: list[dict[str, Any]]) -> Usage:
    return size_of(messages=messages).prompt


def test_a_prompt_that_is_cached_counts_as_written_to_the_cache() -> None:
    plain = cache_of(said({"type": "text", "text": "hi"}))
    minutes = cache_of(said({"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}))
    hour = cache_of(
        said({"type": "text", "text": "", "cache_control": {"type": "ephemeral", "ttl": "1h"}})
    )
    told = cache_of(said({"type": "text", "text": '"cache_control":{"ttl":"1h"}'}))

    assert (plain.cache_write_tokens, told.cache_write_tokens) == (0, 0)
    assert (minutes.input_tokens, minutes.cache_write_1h_tokens) == (0, 0)
    assert hour.cache_write_1h_tokens == hour.cache_write_tokens > 0


async def ask_at_once(harness: GatewayHarness, times: int, **changes: Any) -> list[int]:
    answers = await asyncio.gather(*(harness.ask(**changes) for _ in range(times)))
    return [answer.status_code for answer in answers]


def billed_usd(harness: GatewayHarness) -> float:
    answers = harness.api.bill
    return sum(VENDOR_PRICES.estimate(each.usage, each.model).cost_usd for each in answers)


@pytest.mark.parametrize(
    ("usage", "budget_usd", "one_usd", "changes"),
    [
        ("{input: 250000, output: 0}", 1.0, 1.0, {"messages": said(TINY_PDF)}),
        (
            "{input: 250000, output: 0}",
            1.0,
            1.0,
            {"messages": said({"type": "tool_result", "tool_use_id": "t", "content": [TINY_PDF]})},
        ),
        (
            "{input: 450000, output: 0}",
            2.0,
            1.8,
            {"messages": [{"role": "user", "content": "7" * 450_000}]},
        ),
        (
            "{input: 0, output: 0, cache_write: 400000}",
            2.5,
            2.0,
            {
                "messages": [{"role": "user", "content": "7" * 400_000}],
                "cache_control": {"type": "ephemeral"},
            },
        ),
        (
            "{input: 0, output: 60000}",
            2.0,
            1.2,
            {"max_tokens": 100, "thinking": {"type": "enabled", "budget_tokens": 60_000}},
        ),
        ("{input: 200000, output: 0}", 1.0, 0.8, {"messages": said(*[image(9)] * 40)}),
    ],
    ids=["PDFs", "PDFs in results", "digits", "cache writes", "thinking budget", "pictures"],
)
async def test_sixteen_at_once_stay_within_the_budget_and_one_answer(
    usage: str, budget_usd: float, one_usd: float, changes: dict[str, Any]
) -> None:
    turn = f"{{text: read, usage: {usage}, repeat: 20, optional: true}}"
    async with gateway_before(turn, budget=Budget(budget_usd)) as harness:
        statuses = await ask_at_once(harness, 16, **changes)
        bill = await harness.close()

    assert billed_usd(harness) <= budget_usd + one_usd
    assert bill.cost_usd == pytest.approx(billed_usd(harness))
    assert set(statuses) == {200, 402}


async def test_fifty_honest_requests_at_once_all_pass() -> None:
    turn = "{text: hello, repeat: 50}"
    async with gateway_before(turn, budget=Budget(2.0, 2.0, 2.0)) as harness:
        statuses = await ask_at_once(harness, 50, max_tokens=4_000)
        bill = await harness.close()

    assert (statuses, bill.requests) == ([200] * 50, 50)


async def test_documents_of_one_session_go_one_at_a_time_and_others_beside_them() -> None:
    turns = "{hang: middle, text: a}, {text: beside, optional: true}"
    ledger = WatchedLedger()
    async with (
        gateway_before(turns, ledger=ledger) as harness,
        harness.asking(messages=said(TINY_PDF)),
    ):
        held = asyncio.ensure_future(harness.ask(messages=said(TINY_PDF)))
        await ledger.asked(3)  # when it was opened, and once for each request
        beside = await harness.ask()

        assert (beside.status_code, held.done(), harness.api.request_count) == (200, False, 2)
        held.cancel()
