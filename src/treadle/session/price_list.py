"""Estimates what usage costs, by the prices of the agent's vendor and the user's own."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from treadle.domain.price import Price, PriceTable, ResponseExtras, TieredPrice
from treadle.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class CostEstimate:
    cost_usd: float
    # False if the model has no known price, and the highest one was used.
    priced: bool


@dataclass(frozen=True, slots=True)
class PriceList:
    """The vendor's prices, and the user's overrides by model name."""

    vendor: PriceTable
    overrides: Mapping[str, Price] = field(default_factory=dict)

    def price_of(self, model: str) -> Price | TieredPrice | None:
        """The price of a model by its name, alias or a cloud provider's spelling."""
        return self._own_price(model) or self.vendor.prices.get(self._family(model))

    def fast_price_of(self, model: str) -> Price | None:
        """The price at the higher speed. A user's own price is for the usual speed: it is a floor
        here."""
        fast, own = self.vendor.fast_prices.get(self._family(model)), self._own_price(model)
        return fast if fast is None or own is None else _dearest([fast, own])

    def estimate(
        self, usage: Usage, model: str, extras: ResponseExtras | None = None
    ) -> CostEstimate:
        """The cost of one response; what has no known price counts as the most expensive one."""
        if usage == Usage():  # messages that the agent makes up name no real model
            return CostEstimate(cost_usd=0.0, priced=True)
        extras = extras or ResponseExtras()
        price = self.fast_price_of(model) if extras.fast else self.price_of(model)
        if price is None or extras.unknown:
            known, price = False, self.highest_fast_price() if extras.fast else self.highest_price()
        else:
            known = True
        tokens = _price_for_usage(price, usage).cost_usd(usage)
        searches = extras.web_searches * self.vendor.web_search_usd
        factor = self.vendor.us_factor if extras.in_us else 1.0
        return CostEstimate(cost_usd=tokens * factor + searches, priced=known)

    def highest_price(self) -> Price:
        """The highest known price of each kind of token; nothing if no price is known."""
        vendor = (_highest_tier(price) for price in self.vendor.prices.values())
        return _dearest([*self.overrides.values(), *vendor])

    def highest_fast_price(self) -> Price:
        """The same, at the higher speed."""
        return _dearest([self.highest_price(), *self.vendor.fast_prices.values()])

    def _own_price(self, model: str) -> Price | None:
        name = model.strip().lower()
        for known in (name, self._alias(name), self._family(model)):
            if known in self.overrides:
                return self.overrides[known]
        return None

    def _family(self, model: str) -> str:
        name = model.strip().lower()
        match = self.vendor.family.search(self._alias(name) or name)
        return match["family"] if match else ""

    def _alias(self, name: str) -> str:
        return self.vendor.aliases.get(name.removesuffix(self.vendor.alias_suffix), "")


def _dearest(prices: list[Price]) -> Price:
    known = prices or [Price(0, 0, 0, 0, 0)]
    return Price(
        input=max(price.input for price in known),
        output=max(price.output for price in known),
        cache_write=max(price.cache_write for price in known),
        cache_read=max(price.cache_read for price in known),
        cache_write_1h=max(price.cache_write_1h for price in known),
    )


def _price_for_usage(price: Price | TieredPrice, usage: Usage) -> Price:
    if isinstance(price, Price):
        return price
    return price.long if usage.prompt_tokens > price.above else price.short


def _highest_tier(price: Price | TieredPrice) -> Price:
    return price if isinstance(price, Price) else price.long
