"""Encodes the results of steps as JSON and decodes them by their types."""

from functools import cache
from types import UnionType
from typing import Any, TypeVar

from pydantic import TypeAdapter

from treadle.durable.port import Json

T = TypeVar("T")


def encode(value: T, returns: type[T] | UnionType) -> Json:
    """Encode the result of a step."""
    encoded: Json = _adapter(returns).dump_python(value, mode="json")
    return encoded


def decode(stored: Json, returns: type[T] | UnionType) -> T:
    """Decode a stored result as the type of its step."""
    decoded: T = _adapter(returns).validate_python(stored)
    return decoded


def _adapter(returns: Any) -> TypeAdapter[Any]:
    return _cached_adapter(returns)


@cache
def _cached_adapter(returns: Any) -> TypeAdapter[Any]:
    return TypeAdapter(returns)
