"""Tracks the tokens that unfinished responses have used, separately for each sub-agent."""

from dataclasses import dataclass, field
from typing import Any

from treadle.adapters.agents.claude.json_fields import count, shorten, text
from treadle.domain.agent import ResponseUsed
from treadle.domain.usage import Usage

MAX_NAME = 200

# How many characters a token is worth when nobody has counted; fewer in code than in prose.
CHARACTERS_PER_TOKEN = 4
_TEXT_FIELDS = {"text_delta": "text", "input_json_delta": "partial_json"}


@dataclass(slots=True)
class ResponseProgress:
    """One response; it is open until the service has said what it used in all."""

    message: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    text_characters: int = 0
    thinking_characters: int = 0
    thinking_tokens: int = 0
    open: bool = False

    def estimate_usage(self) -> Usage:
        """What it began with, and an estimate of what it has said since."""
        thinking = max(self.thinking_tokens, _estimate_tokens(self.thinking_characters))
        output = max(self.usage.output_tokens, _estimate_tokens(self.text_characters) + thinking)
        return _replace_totals(self.usage, Usage(output_tokens=output))


class ResponseTracker:
    """Keyed by the tool use that a sub-agent works for; None is the session itself."""

    def __init__(self) -> None:
        self._last: dict[object, ResponseProgress] = {}

    def message_id(self, parent: object) -> str:
        """The id of the message that is being written, empty before the first."""
        return self._get(parent).message

    def start(self, parent: object, message: dict[str, Any]) -> list[ResponseUsed]:
        """A response begins; what is owed for one before it that was never finished."""
        owed = self.close_unfinished(parent)
        self._last[_key(parent)] = ResponseProgress(
            message=text(message, "id"),
            model=shorten(text(message, "model"), MAX_NAME),
            usage=parse_usage(message.get("usage")),
            open=True,
        )
        return owed

    def add_delta(self, parent: object, delta: dict[str, Any]) -> None:
        response, kind = self._get(parent), text(delta, "type")
        if kind == "thinking_delta":
            response.thinking_characters += len(text(delta, "thinking"))
        elif kind in _TEXT_FIELDS:
            response.text_characters += len(text(delta, _TEXT_FIELDS[kind]))

    def add_thinking_tokens(self, parent: object, tokens: int) -> None:
        """Tokens of thinking that the agent tells of without showing it."""
        self._get(parent).thinking_tokens += tokens

    def finish(self, parent: object, usage: dict[str, Any]) -> ResponseUsed:
        """The service has counted: its figures stand for the estimate."""
        response = self._get(parent)
        response.open = False
        return ResponseUsed(response.model, _replace_totals(response.usage, parse_usage(usage)))

    def close_unfinished(self, parent: object) -> list[ResponseUsed]:
        """What is owed for a response that ends before it was counted: at most one."""
        response = self._get(parent)
        if not response.open:
            return []
        response.open = False
        return [ResponseUsed(response.model, response.estimate_usage())]

    def close_all_unfinished(self) -> list[ResponseUsed]:
        return [owed for parent in self._last for owed in self.close_unfinished(parent)]

    def _get(self, parent: object) -> ResponseProgress:
        return self._last.get(_key(parent)) or ResponseProgress()


def parse_usage(usage: object) -> Usage:
    """The buckets of an API usage object; a missing one is nought."""
    kinds = usage.get("cache_creation") if isinstance(usage, dict) else None
    return Usage(
        input_tokens=count(usage, "input_tokens") or 0,
        output_tokens=count(usage, "output_tokens") or 0,
        cache_write_tokens=count(usage, "cache_creation_input_tokens") or 0,
        cache_read_tokens=count(usage, "cache_read_input_tokens") or 0,
        cache_write_1h_tokens=count(kinds, "ephemeral_1h_input_tokens") or 0,
    )


def _replace_totals(start: Usage, later: Usage) -> Usage:
    # The last figures of a response are totals: they replace the first ones, never add to them.
    return Usage(
        input_tokens=max(start.input_tokens, later.input_tokens),
        output_tokens=later.output_tokens or start.output_tokens,
        cache_write_tokens=max(start.cache_write_tokens, later.cache_write_tokens),
        cache_read_tokens=max(start.cache_read_tokens, later.cache_read_tokens),
        cache_write_1h_tokens=max(start.cache_write_1h_tokens, later.cache_write_1h_tokens),
    )


def _estimate_tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def _key(parent: object) -> str | None:
    # A parent of another type than text names nobody; it must not be taken for the session.
    return None if parent is None else str(parent)[:MAX_NAME]
