"""Encodes events as JSON and decodes them; readers skip what a newer version wrote."""

from dataclasses import asdict
from functools import cache
from typing import Any, get_args

import orjson

from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.json_decoder import JsonMismatch, decoder_of

# What all JSON readers accept; larger integers and deeper values become text.
_LARGEST = 2**53
_DEEPEST = 64


def encode(event: Event) -> bytes:
    """The stored form of an event; surrogates and huge integers are replaced."""
    try:
        return orjson.dumps(event)
    except TypeError:
        return orjson.dumps(_json_safe(asdict(event), _DEEPEST))


_LINE_ENDS = (
    ("\x85".encode(), b"\\u0085"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


def encode_recorded(recorded: RecordedEvent) -> bytes:
    """One line of `--json` output: the envelope with the event in it."""
    try:
        line = orjson.dumps(recorded, option=orjson.OPT_UTC_Z)
    except TypeError:
        line = orjson.dumps(_json_safe(asdict(recorded), _DEEPEST), option=orjson.OPT_UTC_Z)
    # Some readers split lines at these characters.
    for raw, escaped in _LINE_ENDS:
        line = line.replace(raw, escaped)
    return line


def without_surrogates(text: str) -> str:
    """The text without lone surrogates, which agents produce and no file accepts."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _json_safe(value: Any, depth: int) -> Any:
    """The value without what JSON cannot represent."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return f"{value:#x}"
    if not isinstance(value, dict | list | tuple):
        return value
    if depth == 0:
        return "…"
    if isinstance(value, dict):
        return {_json_safe(str(key), 0): _json_safe(each, depth - 1) for key, each in value.items()}
    return [_json_safe(each, depth - 1) for each in value]


def event_types() -> dict[str, type[Event]]:
    """All event classes by wire name."""
    return {cls.__dataclass_fields__["type"].default: cls for cls in get_args(Event)}


def decode(body: bytes | str) -> Event | None:
    """The event, or None for an unknown type or value of a newer version."""
    tagged = orjson.loads(body)
    name = tagged.get("type")
    if name not in _known_types():
        return None
    try:
        event: Event = decoder_of(_known_types()[name])(tagged)
    except JsonMismatch:
        return None
    return event


@cache
def _known_types() -> dict[str, type[Event]]:
    return event_types()
