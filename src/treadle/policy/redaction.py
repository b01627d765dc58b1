"""Removes secrets from everything that is stored or shown. Pure.

Known values go first, in every form they can be written in; then what looks like a credential.
Where a text was cut, what the cut has left of a known value goes as well.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar

from treadle.policy.secret_encodings import encoded_forms
from treadle.policy.secret_shapes import PRIVATE_KEY_END, SHOWN
from treadle.policy.truncated_secrets import (
    HIDDEN,
    PART,
    RESUMED,
    hide_truncated_shapes,
    hide_truncated_values,
)

_HINTS = (*dict.fromkeys(hint for shape in SHOWN for hint in shape.hints), RESUMED)

T = TypeVar("T")


class Redactor(Protocol):
    """Gives anything back with every secret in its texts hidden."""

    def __call__(self, value: T, /) -> T: ...


def make_redactor(secrets: Iterable[str]) -> Redactor:
    """One for these values, in all their forms, and for what has the shape of a credential."""
    known = encoded_forms(secrets)
    telling = (*dict.fromkeys(form[:PART] for form in known), *_HINTS)

    def hide(text: str) -> str:
        return _hide_all(text, known) if any(word in text for word in telling) else text

    def redacted(value: T, /) -> T:
        if isinstance(value, str):
            return hide(value)  # type: ignore[return-value]
        # Most hold nothing: one look at all of it is cheaper than one at each part.
        together = "\n".join(_texts(value))
        if not any(word in together for word in telling):
            return value
        found: T = _clean(value, hide)
        return found

    return redacted


def _hide_all(text: str, known: tuple[str, ...]) -> str:
    # Before whole values: those may be parts of what was cut.
    text = hide_truncated_values(text, known)
    for form in known:
        if form in text:
            text = text.replace(form, HIDDEN)
    for shape in SHOWN:
        if any(hint in text for hint in shape.hints):
            text = shape.regex.sub(_hide_secret, text)
    return re.sub(PRIVATE_KEY_END, _hide_secret, hide_truncated_shapes(text))


def _hide_secret(match: re.Match[str]) -> str:
    start, end = match.span("secret")
    offset, whole = match.start(), match[0]
    if start < 0:
        return whole
    return f"{whole[: start - offset]}{HIDDEN}{whole[end - offset :]}"


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, however deep it lies."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _texts(key)
            yield from _texts(entry)
    elif isinstance(value, tuple | list):
        for entry in value:
            yield from _texts(entry)
    elif is_dataclass(value) and not isinstance(value, type):
        for name in _field_names(type(value)):
            yield from _texts(getattr(value, name))


def _clean(value: Any, hide: Callable[[str], str]) -> Any:
    match value:
        case str():
            return hide(value)
        case dict():
            return {_clean(key, hide): _clean(entry, hide) for key, entry in value.items()}
        case tuple() | list():
            return type(value)(_clean(entry, hide) for entry in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            changed = {
                name: after
                for name in _field_names(type(value))
                if (after := _clean(before := getattr(value, name), hide)) is not before
                and after != before
            }
            return replace(value, **changed) if changed else value
        case _:
            return value
