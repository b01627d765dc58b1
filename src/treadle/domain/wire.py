"""Encodes events as JSON and decodes them; readers skip what a newer version wrote."""

from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

import orjson

from treadle.domain.events.all_events import Event, RecordedEvent

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# JSON readers everywhere take integers and nesting up to here; beyond it a value becomes text.
_LARGEST = 2**53
_DEEPEST = 64


def encode(event: Event) -> bytes:
    """The event as it is stored; half a character or an endless number becomes legible text."""
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
    """One line of `--json` output: envelope outside, the event as it is stored inside."""
    try:
        line = orjson.dumps(recorded, option=orjson.OPT_UTC_Z)
    except TypeError:
        line = orjson.dumps(_json_safe(asdict(recorded), _DEEPEST), option=orjson.OPT_UTC_Z)
    # Other ends of line that Unicode knows: some readers would split the line there.
    for raw, escaped in _LINE_ENDS:
        line = line.replace(raw, escaped)
    return line


def without_surrogates(text: str) -> str:
    """The same text without half characters: agents cut theirs anywhere, no file takes those."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _json_safe(value: Any, depth: int) -> Any:
    """The same value without what JSON cannot say."""
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
    """Every wire name with the class it stands for."""
    return {cls.__dataclass_fields__["type"].default: cls for cls in get_args(Event)}


def decode(body: bytes | str) -> Event | None:
    """The event, or None for one that only a newer version can read: an unknown type or value."""
    tagged = orjson.loads(body)
    name = tagged.get("type")
    if name not in _known_types():
        return None
    from pydantic import ValidationError

    try:
        return _adapter(name).validate_python(tagged, strict=False)
    except ValidationError:
        return None


@cache
def _known_types() -> dict[str, type[Event]]:
    return event_types()


# One for each type that is met: most readers ask for a few of them.
@cache
def _adapter(name: str) -> "TypeAdapter[Event]":
    from pydantic import TypeAdapter

    return TypeAdapter(_known_types()[name])
