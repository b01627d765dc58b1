"""Every response has a price: the user's own, the model's, or the dearest there is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import VENDOR_PRICES
from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.domain.price import Price, ResponseExtras, TieredPrice
from treadle.domain.usage import Usage
from treadle.session.price_list import CostEstimate, PriceList

MILLION = 1_000_000
OPUS = Price(4, 20, 5, 0.2, 8)
SONNET = Price(2, 10, 2.5, 0.1, 4)
OPUS_5 = Price(5, 25, 6.25, 0.5, 10)
HAIKU = TieredPrice(
    short=Price(0.1, 0.5, 0.125, 0.01, 0.2), long=Price(0.5, 2.5, 0.625, 0.05, 1), above=100_000
)


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("claude-opus-5-5", OPUS),
        ("claude-sonnet-5-5", SONNET),
        ("claude-haiku-5-5", HAIKU),
        ("opus", OPUS),
        ("Sonnet[1m]", SONNET),
        ("claude-opus-5", OPUS_5),
        ("claude-opus-5-5-20261101", OPUS),
        ("claude-opus-5-5[1m]", OPUS),
        ("claude-opus-4-20250514", Price(15, 75, 18.75, 1.5, 30)),
        ("claude-3-5-haiku-latest", Price(0.8, 4, 1, 0.08, 1.6)),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", OPUS_5),
        ("claude-haiku-4-5@20251001", Price(1, 5, 1.25, 0.1, 2)),
        ("anthropic/claude-sonnet-5-5", SONNET),
    ],
)
def test_a_model_is_found_by_any_spelling_of_its_name(
    model: str, price: Price | TieredPrice
) -> None:
    assert VENDOR_PRICES.price_of(model) == price


@pytest.mark.parametrize(
    "model",
    [
        "",
        "gpt-9",
        "claude",
        "claude-opus",
        "claude-opus-5-9",
        "claude-opus-55",
        "my-opus",
        "default",
    ],
)
def test_another_model_has_no_price(model: str) -> None:
    assert VENDOR_PRICES.price_of(model) is None


def test_every_alias_has_a_price() -> None:
    assert [alias for alias in CLAUDE.prices.aliases if VENDOR_PRICES.price_of(alias) is None] == []


OWN = Price(1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("named", "model", "price"),
    [
        ("claude-opus-5-5", "claude-opus-5-5", OWN),
        ("claude-opus-5-5", "opus", OWN),
        ("claude-opus-5-5", "us.anthropic.claude-opus-5-5-v1:0", OWN),
        ("claude-opus-5-5", "claude-opus-5", OPUS_5),
        ("opus", "opus", OWN),
        ("gpt-9", "GPT-9", OWN),
        ("gpt-9", "gpt-9-mini", None),
    ],
)
def test_a_price_of_the_users_own_comes_first(named: str, model: str, price: Price | None) -> None:
    assert PriceList(CLAUDE.prices, {named: OWN}).price_of(model) == price


def test_the_dearest_price_is_the_dearest_in_every_bucket_whoever_sets_it() -> None:
    assert VENDOR_PRICES.highest_price() == Price(15, 75, 18.75, 1.5, 30)
    assert PriceList(CLAUDE.prices, {"gpt-9": Price(99, 0, 0, 2, 0)}).highest_price() == Price(
        99, 75, 18.75, 2, 30
    )


@pytest.mark.parametrize(
    ("usage", "model", "expected"),
    [
        (Usage(MILLION, 0, 0, 0), "opus", CostEstimate(4, priced=True)),
        (Usage(0, MILLION, 0, 0), "opus", CostEstimate(20, priced=True)),
        (Usage(0, 0, MILLION, 0), "opus", CostEstimate(5, priced=True)),
        (Usage(0, 0, 0, MILLION), "opus", CostEstimate(0.2, priced=True)),
        (Usage(0, 0, MILLION, 0, MILLION), "opus", CostEstimate(8, priced=True)),  # for an hour
        (Usage(0, 0, MILLION, 0, MILLION // 2), "opus", CostEstimate(6.5, priced=True)),
        (Usage(300, 60), "claude-opus-5-5", CostEstimate(0.0024, priced=True)),
        (Usage(100_000, 0), "haiku", CostEstimate(0.01, priced=True)),
        (Usage(100_001, 0), "haiku", CostEstimate(0.0500005, priced=True)),  # a long prompt
        (Usage(1, 0, 50_000, 50_000), "haiku", CostEstimate(0.0337505, priced=True)),
        (Usage(MILLION, MILLION), "gpt-9", CostEstimate(90, priced=False)),
        (
            Usage(),
            "<synthetic>",
            CostEstimate(0, priced=True),
        ),  # nothing used costs nothing anywhere
    ],
)
def test_usage_is_priced_bucket_by_bucket(usage: Usage, model: str, expected: CostEstimate) -> None:
    assert VENDOR_PRICES.estimate(usage, model) == expected


@pytest.mark.parametrize(
    ("extras", "cost_usd"),
    [
        (ResponseExtras(), 4.0),
        (ResponseExtras(web_searches=3), 4.03),
        (ResponseExtras(in_us=True), 4.4),
        (ResponseExtras(web_searches=1, in_us=True), 4.41),
    ],
)
def test_what_is_not_a_token_has_a_price_too(extras: ResponseExtras, cost_usd: float) -> None:
    found = VENDOR_PRICES.estimate(Usage(MILLION), "opus", extras)

    assert found == CostEstimate(pytest.approx(cost_usd), priced=True)  # type: ignore[arg-type]


COUNTS = st.integers(0, 10**9)
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS)


@given(USAGES, st.sampled_from(sorted(CLAUDE.prices.prices)))
def test_no_known_model_costs_more_than_an_unknown_one(usage: Usage, model: str) -> None:
    known, unknown = VENDOR_PRICES.estimate(usage, model), VENDOR_PRICES.estimate(usage, "unknown")

    assert 0 <= known.cost_usd <= unknown.cost_usd
