"""Secrets taken out of whatever is stored or shown. Pure.

Known values go first, in every form they can be written in; then what looks like a credential.
Where a text was cut, what the cut has left of a known value goes as well.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar

from treadle.policy.secret_forms import forms
from treadle.policy.secret_shapes import CUT, OPENING, PRIVATE_KEY_END, SHOWN

HIDDEN = "***"

# How much of a known value is enough to be taken for the beginning or the end of it.
PART = 12

_RESUMED = "more) …\n"
_HINTS = (*dict.fromkeys(hint for shape in SHOWN for hint in shape.hints), _RESUMED)

T = TypeVar("T")


class Redactor(Protocol):
    """Gives anything back with every secret in its texts hidden."""

    def __call__(self, value: T, /) -> T: ...


def redactor(secrets: Iterable[str]) -> Redactor:
    """One for these values, in all their forms, and for what has the shape of a credential."""
    known = forms(secrets)
    telling = (*dict.fromkeys(form[:PART] for form in known), *_HINTS)

    def hide(text: str) -> str:
        return _without(text, known) if any(word in text for word in telling) else text

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


def _without(text: str, known: tuple[str, ...]) -> str:
    # Before whole values: those may be parts of what was cut.
    text = _without_parts(text, known)
    for form in known:
        if form in text:
            text = text.replace(form, HIDDEN)
    for shape in SHOWN:
        if any(hint in text for hint in shape.hints):
            text = shape.regex.sub(_hide_secret, text)
    return re.sub(PRIVATE_KEY_END, _hide_secret, re.sub(OPENING, HIDDEN, text))


def _hide_secret(match: re.Match[str]) -> str:
    start, end = match.span("secret")
    offset, whole = match.start(), match[0]
    return f"{whole[: start - offset]}{HIDDEN}{whole[end - offset :]}"


def _without_parts(text: str, known: tuple[str, ...]) -> str:
    """Take out the beginning of a known value before a cut or the end, and its end after a cut."""
    begun = [form for form in known if form[:PART] in text]
    ended = [form for form in known if form[-PART:] in text] if _RESUMED in text else []
    spans: list[tuple[int, int]] = []
    if begun:
        for place in (*(cut.start() for cut in re.finditer(CUT, text)), len(text)):
            spans.append((place - max(_beginning(form, text, place) for form in begun), place))
    if ended:
        for cut in re.finditer(re.escape(_RESUMED), text):
            place = cut.end()
            spans.append((place, place + max(_ending(form, text, place) for form in ended)))
    return _without_spans(text, sorted(span for span in spans if span[0] < span[1]))


def _without_spans(text: str, spans: list[tuple[int, int]]) -> str:
    kept, done = [], 0
    for start, end in spans:
        if start >= done:
            kept += [text[done:start], HIDDEN]
        done = max(done, end)
    return "".join([*kept, text[done:]]) if spans else text


def _beginning(form: str, text: str, place: int) -> int:
    """How much of the form's beginning stands right before this place."""
    for length in range(min(len(form) - 1, place), PART - 1, -1):
        if text.startswith(form[:length], place - length):
            return length
    return 0


def _ending(form: str, text: str, place: int) -> int:
    """How much of the form's end stands right behind this place."""
    for length in range(len(form) - 1, PART - 1, -1):
        if text.startswith(form[-length:], place):
            return length
    return 0


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
