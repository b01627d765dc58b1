"""Events as JSON and back. Writers know every event; readers skip what a newer version wrote."""

from functools import cache
from typing import TYPE_CHECKING, Annotated, get_args

import orjson

from treadle.domain.events.log import Event, Recorded

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def encode(event: Event) -> bytes:
    return orjson.dumps(event)


def encode_recorded(recorded: Recorded) -> bytes:
    """One line of `--json` output: envelope outside, the event as it is stored inside."""
    return orjson.dumps(recorded, option=orjson.OPT_UTC_Z)


def event_types() -> dict[str, type[Event]]:
    """Every wire name with the class it stands for."""
    return {cls.__dataclass_fields__["type"].default: cls for cls in get_args(Event)}


def decode(body: bytes | str) -> Event | None:
    """The event, or None for a type this version does not know."""
    tagged = orjson.loads(body)
    if tagged.get("type") not in _known():
        return None
    return _adapter().validate_python(tagged, strict=False)


@cache
def _known() -> frozenset[str]:
    return frozenset(event_types())


@cache
def _adapter() -> "TypeAdapter[Event]":
    from pydantic import Field, TypeAdapter

    return TypeAdapter(Annotated[Event, Field(discriminator="type")])
