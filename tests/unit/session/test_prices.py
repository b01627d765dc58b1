"""Every response has a price: the model's own, or the dearest there is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.domain.usage import Usage
from treadle.session.prices import ALIASES, DEAREST, PRICES, Estimate, Price, estimate, price_of

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("claude-opus-5-5", Price(4, 20, 5, 0.2)),
        ("claude-sonnet-5-5", Price(2, 10, 2.5, 0.1)),
        ("claude-haiku-5-5", Price(0.5, 2.5, 0.625, 0.05)),
        ("opus", Price(4, 20, 5, 0.2)),
        ("Sonnet[1m]", Price(2, 10, 2.5, 0.1)),
        ("claude-opus-5", Price(5, 25, 6.25, 0.5)),
        ("claude-opus-5-5-20261101", Price(4, 20, 5, 0.2)),
        ("claude-opus-5-5[1m]", Price(4, 20, 5, 0.2)),
        ("claude-opus-4-20250514", Price(15, 75, 18.75, 1.5)),
        ("claude-3-5-haiku-latest", Price(0.8, 4, 1, 0.08)),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", Price(5, 25, 6.25, 0.5)),
        ("claude-haiku-4-5@20251001", Price(1, 5, 1.25, 0.1)),
        ("anthropic/claude-sonnet-5-5", Price(2, 10, 2.5, 0.1)),
    ],
)
def test_a_model_is_found_by_any_spelling_of_its_name(model: str, price: Price) -> None:
    assert price_of(model) == price


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
    assert price_of(model) is None


def test_every_alias_has_a_price() -> None:
    assert [alias for alias in ALIASES if price_of(alias) is None] == []


def test_the_dearest_price_is_the_dearest_in_every_bucket() -> None:
    highest = Price(
        max(p.input for p in PRICES.values()),
        max(p.output for p in PRICES.values()),
        max(p.cache_write for p in PRICES.values()),
        max(p.cache_read for p in PRICES.values()),
    )

    assert highest == DEAREST


@pytest.mark.parametrize(
    ("usage", "model", "expected"),
    [
        (Usage(MILLION, 0, 0, 0), "opus", Estimate(4, priced=True)),
        (Usage(0, MILLION, 0, 0), "opus", Estimate(20, priced=True)),
        (Usage(0, 0, MILLION, 0), "opus", Estimate(5, priced=True)),
        (Usage(0, 0, 0, MILLION), "opus", Estimate(0.2, priced=True)),
        (Usage(300, 60), "claude-opus-5-5", Estimate(0.0024, priced=True)),
        (Usage(MILLION, MILLION), "gpt-9", Estimate(90, priced=False)),
        (Usage(), "<synthetic>", Estimate(0, priced=True)),  # nothing used costs nothing anywhere
    ],
)
def test_usage_is_priced_bucket_by_bucket(usage: Usage, model: str, expected: Estimate) -> None:
    assert estimate(usage, model) == expected


COUNTS = st.integers(0, 10**9)
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS)


@given(USAGES, st.sampled_from(sorted(PRICES)))
def test_no_known_model_costs_more_than_an_unknown_one(usage: Usage, model: str) -> None:
    assert 0 <= estimate(usage, model).cost_usd <= estimate(usage, "unknown").cost_usd
