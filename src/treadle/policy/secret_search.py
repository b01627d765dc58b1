"""Looks for credentials in text that is about to become part of a repository. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import log2

from treadle.policy.secret_forms import forms
from treadle.policy.secret_shapes import IN_FILES, MADE_UP, Shape

KNOWN = "a credential of yours"

_HINTS = tuple(dict.fromkeys(hint for shape in IN_FILES for hint in shape.hints))
_LEAST_BITS = 3.5
_LEAST_DIGITS = 3
_LEAST_RANDOM = 16
_LEAST_LETTERS = 6


@dataclass(frozen=True, slots=True)
class Sighting:
    """A credential in a text: what it is, where it begins, and itself, which is never told."""

    kind: str
    at: int
    value: str = field(repr=False)


class SecretSearch:
    """Finds these values in any form, and what has the shape of a credential and is not made up."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._known = forms(secrets)

    def may_hold(self, text: str) -> bool:
        """Whether it is worth looking closer; almost no text is."""
        return any(hint in text for hint in _HINTS) or any(form in text for form in self._known)

    def sightings(self, text: str) -> Iterator[Sighting]:
        """Every credential in the text, once for each way to see it."""
        for form in self._known:
            if (at := text.find(form)) >= 0:
                yield Sighting(KNOWN, at, form)
        for shape in IN_FILES:
            if any(hint in text for hint in shape.hints):
                yield from _of_shape(shape, text)


def _of_shape(shape: Shape, text: str) -> Iterator[Sighting]:
    for match in shape.regex.finditer(text):
        value: str | None = match["secret"]
        if value is None:
            continue
        if not is_made_up(value) and (shape.told_by == "form" or looks_random(value)):
            yield Sighting(shape.kind, match.start("secret"), value)


def is_made_up(value: str) -> bool:
    """Whether a person would see at once that this opens nothing."""
    small = value.lower()
    return len(set(small)) < _LEAST_LETTERS or any(word in small for word in MADE_UP)


def looks_random(value: str) -> bool:
    """Whether no person would think of it: long, with digits, and hardly ever the same letter."""
    if len(value) < _LEAST_RANDOM or sum(c.isdigit() for c in value) < _LEAST_DIGITS:
        return False
    if not any(c.isalpha() for c in value):
        return False
    counts = Counter(value).values()
    bits = -sum(n / len(value) * log2(n / len(value)) for n in counts)
    return bits >= _LEAST_BITS
