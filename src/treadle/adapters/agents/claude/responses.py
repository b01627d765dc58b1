"""What the responses under way have used so far, those of each sub-agent apart."""

from dataclasses import dataclass, field
from typing import Any

from treadle.adapters.agents.claude.fields import shortened, text, whole
from treadle.domain.agent import ResponseUsed
from treadle.domain.usage import Usage

MAX_NAME = 200

# How many characters a token is worth when nobody has counted; fewer in code than in prose.
CHARACTERS_PER_TOKEN = 4
_WRITTEN = {"text_delta": "text", "input_json_delta": "partial_json"}


@dataclass(slots=True)
class Response:
    """One response; it is open until the service has said what it used in all."""

    message: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    written: int = 0
    pondered: int = 0
    thinking_tokens: int = 0
    open: bool = False

    def so_far(self) -> Usage:
        """What it began with, and an estimate of what it has said since."""
        thinking = max(self.thinking_tokens, _tokens(self.pondered))
        output = max(self.usage.output_tokens, _tokens(self.written) + thinking)
        return _latest(self.usage, Usage(output_tokens=output))


class Responses:
    """Keyed by the tool use that a sub-agent works for; None is the session itself."""

    def __init__(self) -> None:
        self._last: dict[object, Response] = {}

    def message(self, parent: object) -> str:
        """The id of the message that is being written, empty before the first."""
        return self._of(parent).message

    def start(self, parent: object, message: dict[str, Any]) -> list[ResponseUsed]:
        """A response begins; what is owed for one before it that was never finished."""
        owed = self.cut(parent)
        self._last[_key(parent)] = Response(
            message=text(message, "id"),
            model=shortened(text(message, "model"), MAX_NAME),
            usage=usage_in(message.get("usage")),
            open=True,
        )
        return owed

    def wrote(self, parent: object, delta: dict[str, Any]) -> None:
        response, kind = self._of(parent), text(delta, "type")
        if kind == "thinking_delta":
            response.pondered += len(text(delta, "thinking"))
        elif kind in _WRITTEN:
            response.written += len(text(delta, _WRITTEN[kind]))

    def thought(self, parent: object, tokens: int) -> None:
        """Tokens of thinking that the agent tells of without showing it."""
        self._of(parent).thinking_tokens += tokens

    def used(self, parent: object, usage: dict[str, Any]) -> ResponseUsed:
        """The service has counted: its figures stand for the estimate."""
        response = self._of(parent)
        response.open = False
        return ResponseUsed(response.model, _latest(response.usage, usage_in(usage)))

    def cut(self, parent: object) -> list[ResponseUsed]:
        """What is owed for a response that ends before it was counted: at most one."""
        response = self._of(parent)
        if not response.open:
            return []
        response.open = False
        return [ResponseUsed(response.model, response.so_far())]

    def cut_all(self) -> list[ResponseUsed]:
        return [owed for parent in self._last for owed in self.cut(parent)]

    def _of(self, parent: object) -> Response:
        return self._last.get(_key(parent)) or Response()


def usage_in(usage: object) -> Usage:
    """The buckets of an API usage object; a missing one is nought."""
    kinds = usage.get("cache_creation") if isinstance(usage, dict) else None
    return Usage(
        input_tokens=whole(usage, "input_tokens") or 0,
        output_tokens=whole(usage, "output_tokens") or 0,
        cache_write_tokens=whole(usage, "cache_creation_input_tokens") or 0,
        cache_read_tokens=whole(usage, "cache_read_input_tokens") or 0,
        cache_write_1h_tokens=whole(kinds, "ephemeral_1h_input_tokens") or 0,
    )


def _latest(start: Usage, later: Usage) -> Usage:
    # The last figures of a response are totals: they replace the first ones, never add to them.
    return Usage(
        input_tokens=max(start.input_tokens, later.input_tokens),
        output_tokens=later.output_tokens or start.output_tokens,
        cache_write_tokens=max(start.cache_write_tokens, later.cache_write_tokens),
        cache_read_tokens=max(start.cache_read_tokens, later.cache_read_tokens),
        cache_write_1h_tokens=max(start.cache_write_1h_tokens, later.cache_write_1h_tokens),
    )


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def _key(parent: object) -> str | None:
    # A parent of another type than text names nobody; it must not be taken for the session.
    return None if parent is None else str(parent)[:MAX_NAME]
