"""What models cost, as a table with its source, and the estimate made from it."""

import re
from dataclasses import dataclass

from treadle.domain.usage import Usage

AS_OF = "2026-11"
SOURCE = "the price list inside Claude Code 2.1.325"


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. A cache write is priced as one that lives five minutes."""

    input: float
    output: float
    cache_write: float
    cache_read: float


@dataclass(frozen=True, slots=True)
class Estimate:
    cost_usd: float
    # False when the model has no known price and the dearest known one was used instead.
    priced: bool


# Haiku 5.5 has two prices: this one above 100,000 prompt tokens, a fifth of it below. Which applies
# cannot be told from summed usage, and a budget must not be overrun, so the dearer one counts.
_HAIKU_5_5 = Price(0.5, 2.5, 0.625, 0.05)
_OPUS_5_5 = Price(4, 20, 5, 0.2)
_SONNET_5_5 = Price(2, 10, 2.5, 0.1)
_SONNET_5 = Price(2, 10, 2.5, 0.2)
_SONNET_4 = Price(3, 15, 3.75, 0.3)
_OPUS_4_5 = Price(5, 25, 6.25, 0.5)
_OPUS_4 = Price(15, 75, 18.75, 1.5)
_FABLE_5 = Price(10, 50, 12.5, 1)
_FABLE_5_1 = Price(10, 50, 12.5, 0.25)
_FABLE_5_2 = Price(8, 40, 10, 0.2)

PRICES: dict[str, Price] = {
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
    "claude-haiku-4-5": Price(1, 5, 1.25, 0.1),
    "claude-3-5-haiku": Price(0.8, 4, 1, 0.08),
    "claude-fable-5-2": _FABLE_5_2,
    "claude-fable-5-1": _FABLE_5_1,
    "claude-fable-5": _FABLE_5,
    "claude-mythos-5-2": _FABLE_5_2,
    "claude-mythos-5-1": _FABLE_5_1,
    "claude-mythos-5": _FABLE_5,
}
ALIASES: dict[str, str] = {
    "opus": "claude-opus-5-5",
    "opusplan": "claude-opus-5-5",
    "sonnet": "claude-sonnet-5-5",
    "haiku": "claude-haiku-5-5",
}
DEAREST = max(PRICES.values(), key=lambda price: price.output)

# Clouds put a vendor or region before a model's name and a date, version or window behind it; a
# further number, as in opus-5-9, is another model.
_FAMILY = re.compile(
    r"(?:^|[./])(?P<family>claude-[a-z0-9-]+?)"
    r"(?:-\d{8}|-latest)?(?:-v\d+)?(?:@[\w-]+)?(?::\d+)?(?:\[\w+\])?$"
)


def price_of(model: str) -> Price | None:
    """The price of a model by its name, alias or a cloud's spelling of it."""
    name = model.strip().lower()
    alias = ALIASES.get(name.removesuffix("[1m]"))
    family = _FAMILY.search(alias or name)
    return PRICES.get(family["family"]) if family else None


def estimate(usage: Usage, model: str) -> Estimate:
    """What `usage` costs; a model without a price counts as the dearest one there is."""
    if usage == Usage():  # messages that the agent makes up itself name a model that is none
        return Estimate(cost_usd=0.0, priced=True)
    price = price_of(model)
    rate = price or DEAREST
    millionths = (
        usage.input_tokens * rate.input
        + usage.output_tokens * rate.output
        + usage.cache_write_tokens * rate.cache_write
        + usage.cache_read_tokens * rate.cache_read
    )
    return Estimate(cost_usd=millionths / 1_000_000, priced=price is not None)
