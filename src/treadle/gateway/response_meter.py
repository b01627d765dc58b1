"""Reads the usage of a response from its bytes as they pass; keeps none of its text. Pure."""

from dataclasses import replace
from typing import Any, Protocol

import orjson

from treadle.gateway.usage_reading import UsageReading, answered_by, read_message, with_totals

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


class ResponseMeter(Protocol):
    """Takes every chunk of a response's body, in order."""

    def feed(self, chunk: bytes) -> None: ...

    def reading(self) -> UsageReading | None:
        """None until the body shows that a model has answered."""
        ...

    @property
    def is_error(self) -> bool:
        """Whether the service says that no model has answered. Silence does not say so."""
        ...


class StreamMeter:
    """For server-sent events: input tokens come first, output tokens at the end."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = False
        self._reading: UsageReading | None = None
        self._characters = 0
        self._error = False

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

    @property
    def is_error(self) -> bool:
        return self._error and self._reading is None

    def _read_line(self, line: bytes) -> None:
        if not line.startswith(b"data:"):
            return
        event = _parse_object(line[5:])
        match event.get("type"):
            case "error":
                self._error = True
            case "message_start":
                self._reading = read_message(event.get("message"), complete=False)
            case "content_block_start" if self._reading is not None:
                self._reading = answered_by(self._reading, event.get("content_block"))
            case "content_block_delta":
                self._characters += _text_length(event.get("delta"))
            case "message_delta" if self._reading is not None:
                self._reading = with_totals(self._reading, event.get("usage"))
            case "message_stop" if self._reading is not None:
                self._reading = replace(self._reading, complete=True)


class BodyMeter:
    """For a response in one piece; a truncated one has no usage."""

    def __init__(self) -> None:
        self._body = bytearray()
        self._length = 0

    def feed(self, chunk: bytes) -> None:
        self._length += len(chunk)
        if self._length <= LONGEST_BODY:
            self._body += chunk

    def reading(self) -> UsageReading | None:
        message = self._message()
        return read_message(message, complete=True) if message.get("type") == "message" else None

    @property
    def is_error(self) -> bool:
        return self._message().get("type") == "error"

    def _message(self) -> dict[str, Any]:
        return {} if self._length > LONGEST_BODY else _parse_object(bytes(self._body))


class NoMeter:
    """For an answer of another kind: nothing in it tells what it cost."""

    is_error = False

    def feed(self, chunk: bytes) -> None:
        pass

    def reading(self) -> UsageReading | None:
        return None


def _text_length(delta: object) -> int:
    if not isinstance(delta, dict):
        return 0
    text = delta.get(_TEXT_FIELDS.get(str(delta.get("type")), ""))
    return len(text) if isinstance(text, str) else 0


def _parse_object(text: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
