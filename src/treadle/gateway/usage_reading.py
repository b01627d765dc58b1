"""What the usage object of a response says: tokens, speed, further answers, unknown ones. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from treadle.domain.price import ResponseExtras
from treadle.domain.usage import Usage
from treadle.gateway import known_requests as known
from treadle.session.price_list import CostEstimate, PriceList

# Iterations whose tokens the totals of a response include; others come on top.
_IN_TOTALS = frozenset({"message", "fallback_message"})
_KNOWN_VALUES = {
    "inference_geo": known.USAGE_PLACES,
    "service_tier": known.USAGE_TIERS,
    "speed": known.USAGE_SPEEDS,
}


@dataclass(frozen=True, slots=True)
class AnswerUsage:
    """One of several answers that a single request has led to."""

    model: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class UsageReading:
    """The usage of a response so far; `complete` once the service has reported its totals."""

    model: str
    usage: Usage
    extras: ResponseExtras = field(default_factory=ResponseExtras)
    complete: bool = False
    # Answers that the totals leave out, and all of them, as far as the service lists them.
    besides: tuple[AnswerUsage, ...] = ()
    answers: tuple[AnswerUsage, ...] = ()

    @property
    def total(self) -> Usage:
        """The tokens of all answers."""
        return sum((each.usage for each in self.besides), self.usage)


def price_reading(reading: UsageReading, model: str, prices: PriceList) -> CostEstimate:
    """What a response costs: its totals, or what its single answers come to if that is more."""
    extras = reading.extras
    without_searches = replace(extras, web_searches=0)
    first = prices.estimate(reading.usage, reading.model or model, extras)
    besides = [
        prices.estimate(each.usage, each.model or model, without_searches)
        for each in reading.besides
    ]
    answers = [
        prices.estimate(each.usage, each.model or model, without_searches)
        for each in reading.answers
    ]
    totals_usd = first.cost_usd + sum(each.cost_usd for each in besides)
    return CostEstimate(
        cost_usd=max(totals_usd, sum(each.cost_usd for each in answers)),
        priced=all(each.priced for each in (first, *besides, *answers)),
    )


def read_message(message: object, *, complete: bool) -> UsageReading:
    """The usage of a message, or of its start."""
    fields = message if isinstance(message, dict) else {}
    model = fields.get("model")
    reading = UsageReading(
        model=model[:200] if isinstance(model, str) else "", usage=Usage(), complete=complete
    )
    return with_totals(reading, fields.get("usage"))


def answered_by(reading: UsageReading, block: object) -> UsageReading:
    """The reading with the model that goes on, if a block says that another one does."""
    target = (
        block.get("to") if isinstance(block, dict) and block.get("type") == "fallback" else None
    )
    model = target.get("model") if isinstance(target, dict) else None
    return replace(reading, model=model[:200]) if isinstance(model, str) else reading


def with_totals(reading: UsageReading, usage: object) -> UsageReading:
    """The reading with the totals of a later event."""
    if not isinstance(usage, dict):
        return reading
    first, last = reading.usage, _read_usage(usage)
    before, now = reading.extras, _read_extras(usage)
    answers = tuple(_read_answers(usage, reading.model)) or reading.answers
    listed = _objects_in(usage, "iterations")
    besides = tuple(
        AnswerUsage(_model(each) or reading.model, _read_usage(each))
        for each in listed
        if each.get("type") not in _IN_TOTALS
    )
    return replace(
        reading,
        usage=Usage(
            input_tokens=max(first.input_tokens, last.input_tokens),
            output_tokens=last.output_tokens if "output_tokens" in usage else first.output_tokens,
            cache_write_tokens=max(first.cache_write_tokens, last.cache_write_tokens),
            cache_read_tokens=max(first.cache_read_tokens, last.cache_read_tokens),
            cache_write_1h_tokens=max(first.cache_write_1h_tokens, last.cache_write_1h_tokens),
        ),
        extras=ResponseExtras(
            web_searches=max(before.web_searches, now.web_searches),
            in_us=before.in_us or now.in_us,
            fast=before.fast or now.fast,
            unknown=tuple(sorted({*before.unknown, *now.unknown})),
        ),
        besides=besides if listed else reading.besides,
        answers=answers,
    )


def _read_answers(usage: dict[str, Any], model: str) -> Iterator[AnswerUsage]:
    for each in _objects_in(usage, "iterations"):
        yield AnswerUsage(_model(each) or model, _read_usage(each))


def _read_usage(usage: dict[str, Any]) -> Usage:
    split = _object_in(usage, "cache_creation")
    for_an_hour = _count(split, "ephemeral_1h_input_tokens")
    parts = for_an_hour + _count(split, "ephemeral_5m_input_tokens")
    cache_writes = _count(usage, "cache_creation_input_tokens") or parts
    return Usage(
        input_tokens=_count(usage, "input_tokens"),
        output_tokens=_count(usage, "output_tokens"),
        cache_write_tokens=cache_writes,
        cache_read_tokens=_count(usage, "cache_read_input_tokens"),
        cache_write_1h_tokens=min(for_an_hour, cache_writes),
    )


def _read_extras(usage: dict[str, Any]) -> ResponseExtras:
    listed = _objects_in(usage, "iterations")
    unknown = {name for part in (usage, *listed) for name in _unknown_figures(part)}
    return ResponseExtras(
        web_searches=_count(_object_in(usage, "server_tool_use"), "web_search_requests"),
        in_us=usage.get("inference_geo") == "us",
        fast=any(part.get("speed") == "fast" for part in (usage, *listed)),
        unknown=tuple(sorted(unknown)),
    )


def _unknown_figures(usage: dict[str, Any]) -> Iterator[str]:
    """What may have a price that nobody here knows; what is empty costs nothing."""
    for name, value in usage.items():
        if value and name not in known.USAGE_FIELDS:
            yield name[:60]
    for name, value in _object_in(usage, "server_tool_use").items():
        if value and name not in known.USAGE_SERVER_TOOLS:
            yield f"server_tool_use.{name[:60]}"
    for name, values in _KNOWN_VALUES.items():
        if (value := usage.get(name)) and str(value) not in values:
            yield f"{name} {str(value)[:60]}"


def _model(answer: dict[str, Any]) -> str:
    model = answer.get("model")
    return model[:200] if isinstance(model, str) else ""


def _count(table: dict[str, Any], name: str) -> int:
    value = table.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def _object_in(table: dict[str, Any], name: str) -> dict[str, Any]:
    value = table.get(name)
    return value if isinstance(value, dict) else {}


def _objects_in(table: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = table.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
