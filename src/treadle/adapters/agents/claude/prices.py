"""Prices, names and aliases of Claude's models, as a table with its source."""

import re

from treadle.domain.price import Price, PriceTable, TieredPrice


def _price(input_: float, output: float, cache_read: float) -> Price:
    """Writing to the cache costs a quarter more than reading plain input, for an hour twice it."""
    return Price(input_, output, input_ * 1.25, cache_read, input_ * 2)


_HAIKU_5_5 = TieredPrice(_price(0.1, 0.5, 0.01), _price(0.5, 2.5, 0.05), above=100_000)
_OPUS_5_5 = _price(4, 20, 0.2)
_SONNET_5_5 = _price(2, 10, 0.1)
_SONNET_5 = _price(2, 10, 0.2)
_SONNET_4 = _price(3, 15, 0.3)
_OPUS_4_5 = _price(5, 25, 0.5)
_OPUS_4 = _price(15, 75, 1.5)
_FABLE_5 = _price(10, 50, 1)
_FABLE_5_1 = _price(10, 50, 0.25)
_FABLE_5_2 = _price(8, 40, 0.2)

_MODELS: dict[str, Price | TieredPrice] = {
    "claude-opus-5-5": _OPUS_5_5,
    "claude-opus-5": _OPUS_4_5,
    "claude-opus-4-8": _OPUS_4_5,
    "claude-opus-4-7": _OPUS_4_5,
    "claude-opus-4-6": _OPUS_4_5,
    "claude-opus-4-5": _OPUS_4_5,
    "claude-opus-4-1": _OPUS_4,
    "claude-opus-4-0": _OPUS_4,
    "claude-opus-4": _OPUS_4,
    "claude-sonnet-5-5": _SONNET_5_5,
    "claude-sonnet-5": _SONNET_5,
    "claude-sonnet-4-6": _SONNET_4,
    "claude-sonnet-4-5": _SONNET_4,
    "claude-sonnet-4-0": _SONNET_4,
    "claude-sonnet-4": _SONNET_4,
    "claude-3-7-sonnet": _SONNET_4,
    "claude-3-5-sonnet": _SONNET_4,
    "claude-haiku-5-5": _HAIKU_5_5,
    "claude-haiku-4-5": _price(1, 5, 0.1),
    "claude-3-5-haiku": _price(0.8, 4, 0.08),
    "claude-fable-5-2": _FABLE_5_2,
    "claude-fable-5-1": _FABLE_5_1,
    "claude-fable-5": _FABLE_5,
    "claude-mythos-5-2": _FABLE_5_2,
    "claude-mythos-5-1": _FABLE_5_1,
    "claude-mythos-5": _FABLE_5,
}
# Answers with `speed: fast`.
_FAST: dict[str, Price] = {
    "claude-opus-5-5": _price(8, 40, 0.4),
    "claude-opus-5": _price(10, 50, 1),
    "claude-opus-4-8": _price(10, 50, 1),
    "claude-opus-4-7": _price(30, 150, 3),
    "claude-opus-4-6": _price(30, 150, 3),
    "claude-fable-5-2": _price(16, 80, 0.4),
    "claude-mythos-5-2": _price(16, 80, 0.4),
}
_ALIASES: dict[str, str] = {
    "opus": "claude-opus-5-5",
    "opusplan": "claude-opus-5-5",
    "sonnet": "claude-sonnet-5-5",
    "haiku": "claude-haiku-5-5",
}

# Clouds put a vendor or region before a model's name and a date, version or window behind it; a
# further number, as in opus-5-9, is another model.
_FAMILY = re.compile(
    r"(?:^|[./])(?P<family>claude-[a-z0-9-]+?)"
    r"(?:-\d{8}|-latest)?(?:-v\d+)?(?:@[\w-]+)?(?::\d+)?(?:\[\w+\])?$"
)

PRICES = PriceTable(
    as_of="2026-11",
    source="the price list inside Claude Code 2.1.325",
    prices=_MODELS,
    fast_prices=_FAST,
    aliases=_ALIASES,
    alias_suffix="[1m]",
    family=_FAMILY,
    web_search_usd=0.01,
    us_factor=1.1,
)
