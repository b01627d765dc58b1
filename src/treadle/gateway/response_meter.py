"""Reads the usage of a response from its bytes as they pass; keeps none of its text. Pure."""

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import orjson

from treadle.domain.price import ResponseExtras
from treadle.domain.usage import Usage

# Fewer than a token has in plain text, so that an estimate is rather too high.
CHARACTERS_PER_TOKEN = 3
# Longer lines are skipped; events with usage are much shorter.
LONGEST_LINE = 1 << 20
LONGEST_BODY = 16 << 20
_TEXT_FIELDS = {
    "text_delta": "text",
    "input_json_delta": "partial_json",
    "thinking_delta": "thinking",
}


@dataclass(frozen=True, slots=True)
class UsageReading:
    """The usage of a response so far; `complete` once the service has reported its totals."""

    model: str
    usage: Usage
    extras: ResponseExtras = field(default_factory=ResponseExtras)
    complete: bool = False


class ResponseMeter(Protocol):
    """Takes every chunk of a response's body, in order."""

    def feed(self, chunk: bytes) -> None: ...

    def reading(self) -> UsageReading | None:
        """None until the body shows that a model has answered."""
        ...


class StreamMeter:
    """For server-sent events: input tokens come first, output tokens at the end."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = False
        self._reading: UsageReading | None = None
        self._characters = 0

    def feed(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            if not self._skipping:
                self._read_line(line)
            self._skipping = False
        if len(self._rest) > LONGEST_LINE:
            self._rest, self._skipping = b"", True

    def reading(self) -> UsageReading | None:
        if self._reading is None or self._reading.complete:
            return self._reading
        output_tokens = max(
            self._reading.usage.output_tokens, self._characters // CHARACTERS_PER_TOKEN
        )
        return replace(
            self._reading, usage=replace(self._reading.usage, output_tokens=output_tokens)
        )

    def _read_line(self, line: bytes) -> None:
        if not line.startswith(b"data:"):
            return
        event = _parse_object(line[5:])
        match event.get("type"):
            case "message_start":
                self._reading = _read_message(event.get("message"), complete=False)
            case "content_block_delta":
                self._characters += _text_length(event.get("delta"))
            case "message_delta" if self._reading is not None:
                self._reading = _with_totals(self._reading, event.get("usage"))
            case "message_stop" if self._reading is not None:
                self._reading = replace(self._reading, complete=True)


class BodyMeter:
    """For a response in one piece. A truncated one has no usage, so its input is estimated by the
    prompt's size, and its output by the bytes received."""

    def __init__(self, model: str, prompt_tokens: int) -> None:
        self._model = model
        self._prompt_tokens = prompt_tokens
        self._body = bytearray()
        self._length = 0

    def feed(self, chunk: bytes) -> None:
        self._length += len(chunk)
        if self._length <= LONGEST_BODY:
            self._body += chunk

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
    """For errors, and for responses that no model made."""

    def feed(self, chunk: bytes) -> None:
        pass

    def reading(self) -> UsageReading | None:
        return None


def _read_message(message: object, *, complete: bool) -> UsageReading:
    fields = message if isinstance(message, dict) else {}
    usage = _object_in(fields, "usage")
    model = fields.get("model")
    return UsageReading(
        model=model[:200] if isinstance(model, str) else "",
        usage=_read_usage(usage),
        extras=_read_extras(usage),
        complete=complete,
    )


def _with_totals(reading: UsageReading, usage: object) -> UsageReading:
    """The reading with the totals of a later event."""
    if not isinstance(usage, dict):
        return reading
    first, last = reading.usage, _read_usage(usage)
    web_searches = max(reading.extras.web_searches, _read_extras(usage).web_searches)
    return replace(
        reading,
        usage=Usage(
            input_tokens=max(first.input_tokens, last.input_tokens),
            output_tokens=last.output_tokens if "output_tokens" in usage else first.output_tokens,
            cache_write_tokens=max(first.cache_write_tokens, last.cache_write_tokens),
            cache_read_tokens=max(first.cache_read_tokens, last.cache_read_tokens),
            cache_write_1h_tokens=max(first.cache_write_1h_tokens, last.cache_write_1h_tokens),
        ),
        extras=ResponseExtras(web_searches, reading.extras.in_us or _read_extras(usage).in_us),
    )


def _read_usage(usage: dict[str, Any]) -> Usage:
    cache_writes = _count(usage, "cache_creation_input_tokens")
    cache_writes_1h = _count(_object_in(usage, "cache_creation"), "ephemeral_1h_input_tokens")
    return Usage(
        input_tokens=_count(usage, "input_tokens"),
        output_tokens=_count(usage, "output_tokens"),
        cache_write_tokens=cache_writes,
        cache_read_tokens=_count(usage, "cache_read_input_tokens"),
        cache_write_1h_tokens=min(cache_writes_1h, cache_writes),
    )


def _read_extras(usage: dict[str, Any]) -> ResponseExtras:
    web_searches = _count(_object_in(usage, "server_tool_use"), "web_search_requests")
    return ResponseExtras(web_searches, in_us=usage.get("inference_geo") == "us")


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
