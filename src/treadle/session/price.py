"""The price of one model, independent of the vendor."""

from dataclasses import dataclass

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
