"""The encodings in which a known secret can appear: base64, hex, URL, JSON. Pure."""

import base64
import json
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

# Shorter values would match ordinary words.
SHORTEST = 8
# A line of a secret counts as a secret from this length.
SHORTEST_LINE = 16

_SCHEMES = ("bearer ", "basic ", "token ", "digest ")


def encoded_forms(secrets: Iterable[str]) -> tuple[str, ...]:
    """All encodings of these values, the longest first."""
    forms = {
        form
        for secret in secrets
        for part in _parts(secret.strip())
        for form in _encode(part)
        if len(form) >= SHORTEST
    }
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def _parts(secret: str) -> Iterator[str]:
    """The value, and the parts of it that are secrets themselves."""
    if len(secret) < SHORTEST:
        return
    yield secret
    for line in secret.splitlines():
        # The value of a header, without its name and scheme.
        value = line.partition(": ")[2].strip() or line.strip()
        if value.lower().startswith(_SCHEMES):
            value = value.partition(" ")[2].strip()
        if len(value) >= SHORTEST_LINE and value != secret and not value.startswith("-----"):
            yield value


def _encode(secret: str) -> Iterator[str]:
    raw = secret.encode(errors="surrogateescape")
    yield secret
    yield from (raw.hex(), raw.hex().upper())
    yield from _in_base64(raw)
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield quoted
        yield _small_percents(quoted)
    for ascii_only in (True, False):
        escaped = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield escaped
        yield json.dumps(escaped, ensure_ascii=ascii_only)[1:-1]


def _in_base64(raw: bytes) -> Iterator[str]:
    """The encodings inside a longer text, at each of the three possible offsets."""
    for shift in range(3):
        padded = bytes(shift) + raw
        # Letters at the edges also encode bits of the text around.
        first = -(-shift * 8 // 6)
        last = len(padded) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(padded).decode()[first:last]


def _small_percents(quoted: str) -> str:
    """The text with lower-case percent escapes, such as %2f."""
    head, *rest = quoted.split("%")
    return "%".join([head, *(part[:2].lower() + part[2:] for part in rest)])
