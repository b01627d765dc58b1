"""The prices of models: what one costs, and the list of an agent's vendor. Types only."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from treadle.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; `cache_write` is for five minutes."""

    input: float
    output: float
    cache_write: float
    cache_read: float
    cache_write_1h: float

    def cost_usd(self, usage: Usage) -> float:
        millionths = (
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + (usage.cache_write_tokens - usage.cache_write_1h_tokens) * self.cache_write
            + usage.cache_write_1h_tokens * self.cache_write_1h
            + usage.cache_read_tokens * self.cache_read
        )
        return millionths / 1_000_000


@dataclass(frozen=True, slots=True)
class TieredPrice:
    """A price that rises once a prompt is longer than `above` tokens."""

    short: Price
    long: Price
    above: int


@dataclass(frozen=True, slots=True)
class ResponseExtras:
    """What a response costs beyond its tokens."""

    web_searches: int = 0
    # The request was pinned to the United States, at a surcharge.
    in_us: bool = False
    # The response was made at the service's higher speed, at a price of its own.
    fast: bool = False
    # Names in the usage whose price nobody knows: everything counts at the highest price.
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices of the models that a kind of agent uses, and where they come from."""

    as_of: str = ""
    source: str = ""
    # By the family of a model, in lower case.
    prices: Mapping[str, Price | TieredPrice] = field(default_factory=dict)
    # Of the models that can answer at a higher speed: the price of that, by family.
    fast_prices: Mapping[str, Price] = field(default_factory=dict)
    # Short names of models, and what may follow one.
    aliases: Mapping[str, str] = field(default_factory=dict)
    alias_suffix: str = ""
    # Finds the family in a model's full name, as the group of that name.
    family: re.Pattern[str] = re.compile(r"(?P<family>.+)")
    web_search_usd: float = 0.0
    # Tokens of a response that had to be made inside the United States cost this much more.
    us_factor: float = 1.0
