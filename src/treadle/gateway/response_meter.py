"""Reads the usage of a response from its bytes as they pass; keeps none of its text. Pure."""

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import orjson

from treadle.domain.usage import Usage
from treadle.session.price import ResponseExtras

# Fewer than a token has in plain text: what nobody has counted is rather counted too high.
CHARACTERS_PER_TOKEN = 3
# Whatever says what was used is much shorter; longer lines are passed over unread.
LONGEST_LINE = 1 << 20
LONGEST_BODY = 16 << 20
_TEXT_FIELDS = {
    "text_delta": "text",
    "input_json_delta": "partial_json",
    "thinking_delta": "thinking",
}


@dataclass(frozen=True, slots=True)
class UsageReading:
    """What is known of a response so far; `complete` once the service has counted all of it."""

    model: str
    usage: Usage
    extras: ResponseExtras = field(default_factory=ResponseExtras)
    complete: bool = False


class ResponseMeter(Protocol):
    """Fed with every part of a response's body, in order."""

    def feed(self, part: bytes) -> None: ...

    def reading(self) -> UsageReading | None:
        """None as long as nothing says that a model has answered."""
        ...


class StreamMeter:
    """For server-sent events: the input is known at the start, the output at the end."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = False
        self._read: UsageReading | None = None
        self._characters = 0

    def feed(self, part: bytes) -> None:
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            if not self._skipping:
                self._read_line(line)
            self._skipping = False
        if len(self._rest) > LONGEST_LINE:
            self._rest, self._skipping = b"", True

    def reading(self) -> UsageReading | None:
        if self._read is None or self._read.complete:
            return self._read
        so_far = max(self._read.usage.output_tokens, self._characters // CHARACTERS_PER_TOKEN)
        return replace(self._read, usage=replace(self._read.usage, output_tokens=so_far))

    def _read_line(self, line: bytes) -> None:
        if not line.startswith(b"data:"):
            return
        event = _parse_object(line[5:])
        match event.get("type"):
            case "message_start":
                self._read = _read_message(event.get("message"), complete=False)
            case "content_block_delta":
                self._characters += _text_length(event.get("delta"))
            case "message_delta" if self._read is not None:
                self._read = _with_totals(self._read, event.get("usage"))
            case "message_stop" if self._read is not None:
                self._read = replace(self._read, complete=True)


class BodyMeter:
    """For a response in one piece. One that is cut short says nothing, so both its sides are
    estimated: the prompt by its size, the answer by what had come of it."""

    def __init__(self, model: str, prompt_tokens: int) -> None:
        self._model = model
        self._prompt_tokens = prompt_tokens
        self._body = bytearray()
        self._length = 0

    def feed(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= LONGEST_BODY:
            self._body += part

    def reading(self) -> UsageReading | None:
        if not self._length:
            return None
        message = _parse_object(bytes(self._body))
        if message.get("type") == "message":
            return _read_message(message, complete=True)
        if message:
            return None
        usage = Usage(self._prompt_tokens, self._length // CHARACTERS_PER_TOKEN)
        return UsageReading(self._model, usage)


class NoMeter:
    """For errors and for answers that no model made."""

    def feed(self, part: bytes) -> None:
        pass

    def reading(self) -> UsageReading | None:
        return None


def _read_message(message: object, *, complete: bool) -> UsageReading:
    found = message if isinstance(message, dict) else {}
    usage = _object_in(found, "usage")
    model = found.get("model")
    return UsageReading(
        model=model[:200] if isinstance(model, str) else "",
        usage=_read_usage(usage),
        extras=_read_extras(usage),
        complete=complete,
    )


def _with_totals(read: UsageReading, told: object) -> UsageReading:
    """The same response after more of its totals: they replace what was said before."""
    if not isinstance(told, dict):
        return read
    first, last = read.usage, _read_usage(told)
    searches = max(read.extras.web_searches, _read_extras(told).web_searches)
    return replace(
        read,
        usage=Usage(
            input_tokens=max(first.input_tokens, last.input_tokens),
            output_tokens=last.output_tokens if "output_tokens" in told else first.output_tokens,
            cache_write_tokens=max(first.cache_write_tokens, last.cache_write_tokens),
            cache_read_tokens=max(first.cache_read_tokens, last.cache_read_tokens),
            cache_write_1h_tokens=max(first.cache_write_1h_tokens, last.cache_write_1h_tokens),
        ),
        extras=ResponseExtras(searches, read.extras.in_us or _read_extras(told).in_us),
    )


def _read_usage(told: dict[str, Any]) -> Usage:
    written = _count(told, "cache_creation_input_tokens")
    for_an_hour = _count(_object_in(told, "cache_creation"), "ephemeral_1h_input_tokens")
    return Usage(
        input_tokens=_count(told, "input_tokens"),
        output_tokens=_count(told, "output_tokens"),
        cache_write_tokens=written,
        cache_read_tokens=_count(told, "cache_read_input_tokens"),
        cache_write_1h_tokens=min(for_an_hour, written),
    )


def _read_extras(told: dict[str, Any]) -> ResponseExtras:
    searches = _count(_object_in(told, "server_tool_use"), "web_search_requests")
    return ResponseExtras(searches, in_us=told.get("inference_geo") == "us")


def _text_length(delta: object) -> int:
    if not isinstance(delta, dict):
        return 0
    text = delta.get(_TEXT_FIELDS.get(str(delta.get("type")), ""))
    return len(text) if isinstance(text, str) else 0


def _count(table: dict[str, Any], name: str) -> int:
    value = table.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def _object_in(table: dict[str, Any], name: str) -> dict[str, Any]:
    value = table.get(name)
    return value if isinstance(value, dict) else {}


def _parse_object(text: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
