"""Finds credentials in text that is about to be committed. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import log2

from treadle.policy.known_secrets import KnownSecrets
from treadle.policy.secret_shapes import IN_FILES, PLACEHOLDER_WORDS, SecretShape

KNOWN = "a credential of yours"

_HINTS = tuple(dict.fromkeys(hint for shape in IN_FILES for hint in shape.hints))
_LEAST_BITS = 3.5
_LEAST_DIGITS = 3
_LEAST_RANDOM = 16
_LEAST_LETTERS = 6


@dataclass(frozen=True, slots=True)
class SecretMatch:
    """A credential in a text: its kind, its offset, and its value, which is never printed."""

    kind: str
    at: int
    value: str = field(repr=False)


class SecretSearch:
    """Finds these values in any encoding, and text that looks like a real credential."""

    def __init__(self, secrets: Iterable[str] | KnownSecrets) -> None:
        self._secrets = secrets if isinstance(secrets, KnownSecrets) else KnownSecrets(secrets)

    @property
    def _known(self) -> tuple[str, ...]:
        return self._secrets.forms

    @property
    def longest(self) -> int:
        """The length of the longest value that is known."""
        known = self._known
        return len(known[0]) if known else 0

    def may_hold(self, text: str) -> bool:
        """Whether a search is worthwhile, which is rare."""
        return any(hint in text for hint in _HINTS) or any(form in text for form in self._known)

    def find_secrets(self, text: str) -> Iterator[SecretMatch]:
        """Every credential in the text, once per matching pattern."""
        for form in self._known:
            if (at := text.find(form)) >= 0:
                yield SecretMatch(KNOWN, at, form)
        for shape in IN_FILES:
            if any(hint in text for hint in shape.hints):
                yield from _find_shape(shape, text)


def _find_shape(shape: SecretShape, text: str) -> Iterator[SecretMatch]:
    for match in shape.regex.finditer(text):
        value: str | None = match["secret"]
        if value is None:
            continue
        if not is_placeholder(value) and (shape.matched_by == "form" or looks_random(value)):
            yield SecretMatch(shape.kind, match.start("secret"), value)


def is_placeholder(value: str) -> bool:
    """Whether the value is obviously not a real credential."""
    small = value.lower()
    return len(set(small)) < _LEAST_LETTERS or any(word in small for word in PLACEHOLDER_WORDS)


def looks_random(value: str) -> bool:
    """Whether the value looks generated: long, with digits and few repeated letters."""
    if len(value) < _LEAST_RANDOM or sum(c.isdigit() for c in value) < _LEAST_DIGITS:
        return False
    if not any(c.isalpha() for c in value):
        return False
    counts = Counter(value).values()
    bits = -sum(n / len(value) * log2(n / len(value)) for n in counts)
    return bits >= _LEAST_BITS
