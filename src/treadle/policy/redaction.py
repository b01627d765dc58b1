"""Secrets taken out of events before they are stored or shown. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

HIDDEN = "***"

# Shorter values would hit ordinary words.
SHORTEST = 8

T = TypeVar("T")


def redactor(secrets: Iterable[str]) -> Callable[[T], T]:
    """A function that gives an event back with every one of these values hidden in its texts."""
    hidden = sorted({s for s in secrets if len(s) >= SHORTEST}, key=len, reverse=True)
    if not hidden:
        return lambda event: event

    def redacted(event: T) -> T:
        found: T = _clean(event, hidden)
        return found

    return redacted


def _clean(value: Any, hidden: list[str]) -> Any:
    match value:
        case str():
            for secret in hidden:
                if secret in value:
                    value = value.replace(secret, HIDDEN)
            return value
        case dict():
            return {_clean(key, hidden): _clean(entry, hidden) for key, entry in value.items()}
        case tuple() | list():
            return type(value)(_clean(entry, hidden) for entry in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            changed = {
                each.name: after
                for each in fields(value)
                if (after := _clean(before := getattr(value, each.name), hidden)) is not before
                and after != before
            }
            return replace(value, **changed) if changed else value
        case _:
            return value
