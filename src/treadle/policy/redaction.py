"""Removes secrets from everything that is stored or displayed. Pure.

Known values are replaced first, in every encoding, then text that looks like a credential. Where a
text was truncated, the remains of a known value are replaced too.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar

from treadle.policy.known_secrets import KnownSecrets
from treadle.policy.secret_shapes import ON_SCREEN, PRIVATE_KEY_END
from treadle.policy.truncated_secrets import (
    HIDDEN,
    PART,
    RESUMED,
    hide_truncated_shapes,
    hide_truncated_values,
)

_HINTS = (*dict.fromkeys(hint for shape in ON_SCREEN for hint in shape.hints), RESUMED)

T = TypeVar("T")


class Redactor(Protocol):
    """Returns a value with every secret in its texts hidden."""

    def __call__(self, value: T, /) -> T: ...


def make_redactor(secrets: Iterable[str] | KnownSecrets) -> Redactor:
    """A redactor for these values in all encodings, and for text that looks like a credential."""
    known = secrets if isinstance(secrets, KnownSecrets) else KnownSecrets(secrets)

    hints = _HintCache()

    def hide(text: str) -> str:
        forms = known.forms
        return _hide_all(text, forms) if hints.may_hold(text, forms) else text

    def redact(value: T, /) -> T:
        if isinstance(value, str):
            return hide(value)  # type: ignore[return-value]
        # Most values contain no secret, and one search of the joined text is cheaper than many.
        together = "\n".join(_texts(value))
        if not hints.may_hold(together, known.forms):
            return value
        cleaned: T = _clean(value, hide)
        return cleaned

    return redact


class _HintCache:
    """The beginnings of known values, made once for each list of them."""

    def __init__(self) -> None:
        self._made: tuple[tuple[str, ...], tuple[str, ...]] = ((), _HINTS)

    def may_hold(self, text: str, forms: tuple[str, ...]) -> bool:
        """Whether a search is worthwhile, which is rare."""
        made_from, hints = self._made
        if made_from is not forms:
            hints = (*dict.fromkeys(form[:PART] for form in forms), *_HINTS)
            self._made = forms, hints
        return any(word in text for word in hints)


def _hide_all(text: str, known: tuple[str, ...]) -> str:
    # Before whole values, which may be parts of a truncated one.
    text = hide_truncated_values(text, known)
    for form in known:
        if form in text:
            text = text.replace(form, HIDDEN)
    for shape in ON_SCREEN:
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
    """All texts in a value, at any depth."""
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
