"""The most that a request may cost: the size of its prompt, its output limit, its price. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.domain.price import ResponseExtras
from treadle.domain.usage import Usage
from treadle.gateway.request_filter import content_blocks, is_whole_number
from treadle.session.price_list import PriceList

# For a request that does not set `max_tokens`.
PLAUSIBLE_OUTPUT = 16_000
# What the service adds to a prompt of its own, above all for tools.
ADDED_TOKENS = 1_000
# The most that the largest picture takes.
IMAGE_TOKENS = 6_000
# A PDF of few bytes may have many pages; this is what most have at most.
DOCUMENT_TOKENS = 100_000
# A token of small letters has two at least. Capitals, digits, signs and other scripts may be one
# each.
_WORDS = b"abcdefghijklmnopqrstuvwxyz "
# No model says so much, and the ledger can hold it.
_LARGEST = 10**9
# Written so by `serialize_body`; inside a text the quotes would be escaped.
_CACHED, _FOR_AN_HOUR, _MEDIA = b'"cache_control":{', b'"ttl":"1h"', b'"base64"'
# Also that of a fallback or of a single turn.
_FAST = b'"speed":"fast"'


@dataclass(frozen=True, slots=True)
class RequestSize:
    """The size of a request, as far as it can be known before the answer."""

    model: str
    # A prompt that is cached is written to the cache, at worst.
    prompt: Usage
    max_output: int
    # Models that may answer in the place of the first, and how many answers there may be in all.
    other_models: tuple[str, ...] = ()
    answers: int = 1
    extras: ResponseExtras = field(default_factory=ResponseExtras)
    # Thinking is output that is not shown in full, so text says nothing about its length.
    thinks: bool = False
    # It has parts whose size only the service knows.
    unsized: bool = False

    @property
    def most(self) -> Usage:
        """The usage if everything is used that may be."""
        whole = self.prompt + Usage(output_tokens=self.max_output)
        return sum([whole] * (self.answers - 1), whole)


def measure(request: Mapping[str, Any], body: bytes) -> RequestSize:
    """The size of a checked request and its serialized body; senseless values are replaced."""
    pictures, documents = _media(request) if _MEDIA in body else ([], [])
    tokens = _tokens(body) - sum(map(_tokens, (*pictures, *documents))) + ADDED_TOKENS
    tokens += len(pictures) * IMAGE_TOKENS + len(documents) * DOCUMENT_TOKENS
    fallbacks, compacts = _fallbacks(request), b'"compact_' in body
    served = any(isinstance(tool, dict) and _is_served(tool) for tool in request.get("tools") or ())
    model = request.get("model")
    return RequestSize(
        model=model[:200] if isinstance(model, str) else "",
        prompt=_prompt(tokens, body),
        max_output=_max_output(request),
        other_models=fallbacks,
        answers=1 + len(fallbacks) + compacts,
        extras=ResponseExtras(fast=_FAST in body, in_us=request.get("inference_geo") == "us"),
        thinks=_thinks(request),
        unsized=bool(documents or fallbacks) or served or compacts,
    )


def reservation(request: RequestSize, prices: PriceList) -> float:
    """The most that a request may cost, in US dollars; with parts of unknown size, a guess."""
    return max(
        prices.estimate(request.most, model, request.extras).cost_usd
        for model in (request.model, *request.other_models)
    )


def _tokens(text: bytes) -> int:
    others = len(text.translate(None, _WORDS))
    return others + (len(text) - others) // 2


def _prompt(tokens: int, body: bytes) -> Usage:
    if _CACHED not in body:
        return Usage(tokens)
    return Usage(
        cache_write_tokens=tokens, cache_write_1h_tokens=tokens if _FOR_AN_HOUR in body else 0
    )


def _max_output(request: Mapping[str, Any]) -> int:
    """`max_tokens`, and a thinking budget that is beyond it: with tools it may be."""
    thinking = request.get("thinking")
    budget = _count(thinking.get("budget_tokens")) if isinstance(thinking, dict) else 0
    limit = _count(request.get("max_tokens")) or PLAUSIBLE_OUTPUT
    return limit if budget <= limit else limit + budget


def _thinks(request: Mapping[str, Any]) -> bool:
    """Whatever kind of thinking it is, and whatever is shown of it."""
    thinking = request.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") != "disabled"


def _fallbacks(request: Mapping[str, Any]) -> tuple[str, ...]:
    """The models that may answer instead; one without a name has no known price."""
    fallbacks = request.get("fallbacks")
    if isinstance(fallbacks, list):
        models = (each.get("model") if isinstance(each, dict) else each for each in fallbacks)
        return tuple(str(model)[:200] for model in models)
    return () if fallbacks is None else (str(fallbacks)[:200],)


def _is_served(tool: Mapping[str, Any]) -> bool:
    return tool.get("type") not in (None, "custom")


def _media(request: Mapping[str, Any]) -> tuple[list[bytes], list[bytes]]:
    """The data of all pictures, and of all other documents in base64."""
    pictures: list[bytes] = []
    documents: list[bytes] = []
    for block in content_blocks(request):
        source = block.get("source")
        if isinstance(source, dict) and source.get("type") == "base64":
            data = str(source.get("data", "")).encode()
            (pictures if block.get("type") == "image" else documents).append(data)
    return pictures, documents


def _count(value: object) -> int:
    """A number of tokens; `request_filter` refuses any other spelling."""
    return min(value, _LARGEST) if is_whole_number(value) and value > 0 else 0
