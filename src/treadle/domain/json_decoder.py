"""Builds dataclasses from parsed JSON by the types of their fields; what does not fit raises.

A short command reads few events. pydantic would take longer to import than the command takes.
"""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Decoder = Callable[[Any], Any]


class JsonMismatch(ValueError):
    """The JSON is not of the type that was asked for."""


def decoder_of(wanted: Any) -> Decoder:
    """A function that builds values of this type. It ignores unknown keys of objects, gives absent
    ones their defaults, and raises `JsonMismatch`."""
    return _decoder_of(wanted)


@cache
def _decoder_of(wanted: Any) -> Decoder:
    wanted = getattr(wanted, "__supertype__", wanted)
    if wanted in _PLAIN:
        return _PLAIN[wanted]
    if is_dataclass(wanted):
        return _dataclass_decoder(wanted)
    match get_origin(wanted), get_args(wanted):
        case origin, choices if origin is Literal:
            return _literal_decoder(choices)
        case origin, (item, end) if origin is tuple and end is ...:
            return _tuple_decoder(decoder_of(item))
        case origin, members if origin in (Union, UnionType):
            return _union_decoder(members)
        case origin, _ if origin is dict:
            return _decode_object
        case _:
            raise TypeError(f"no decoder for {wanted}")


def _dataclass_decoder(wanted: Any) -> Decoder:
    hints = get_type_hints(wanted)
    decoders = tuple((field.name, decoder_of(hints[field.name])) for field in fields(wanted))
    required = frozenset(
        field.name
        for field in fields(wanted)
        if field.default is MISSING and field.default_factory is MISSING
    )

    def decode(value: Any) -> Any:
        if not isinstance(value, dict) or not required <= value.keys():
            raise JsonMismatch
        return wanted(**{name: of(value[name]) for name, of in decoders if name in value})

    return decode


def _union_decoder(members: Sequence[Any]) -> Decoder:
    """Dataclasses are told apart by their tag, the rest by what fits first."""
    others = tuple(decoder_of(each) for each in members if each is not NoneType)
    optional = NoneType in members

    def decode(value: Any) -> Any:
        if value is None and optional:
            return None
        for each in others:
            try:
                return each(value)
            except JsonMismatch:
                continue
        raise JsonMismatch

    return decode


def _tuple_decoder(item: Decoder) -> Decoder:
    def decode(value: Any) -> Any:
        if not isinstance(value, list):
            raise JsonMismatch
        return tuple([item(each) for each in value])

    return decode


def _literal_decoder(choices: Sequence[Any]) -> Decoder:
    def decode(value: Any) -> Any:
        if value not in choices:
            raise JsonMismatch
        return value

    return decode


def _decode_object(value: Any) -> Any:
    if not isinstance(value, dict):
        raise JsonMismatch
    return value


def _decode_text(value: Any) -> str:
    if not isinstance(value, str):
        raise JsonMismatch
    return value


def _decode_boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise JsonMismatch
    return value


def _decode_integer(value: Any) -> int:
    match value:
        case bool():
            raise JsonMismatch
        case int():
            return value
        case float() if value.is_integer():
            return int(value)
        case _:
            raise JsonMismatch


def _decode_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise JsonMismatch
    return float(value)


def _decode_moment(value: Any) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise JsonMismatch from None


_PLAIN: dict[Any, Decoder] = {
    str: _decode_text,
    bool: _decode_boolean,
    int: _decode_integer,
    float: _decode_number,
    datetime: _decode_moment,
    Any: lambda value: value,
}
