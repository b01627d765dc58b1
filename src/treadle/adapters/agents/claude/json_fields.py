"""Reads fields of untrusted JSON and shortens them; a wrong type reads as absent."""

from datetime import UTC, datetime
from typing import Any

MAX_TEXT = 4000
MAX_KEYS = 40
MAX_DEPTH = 4
MAX_INPUT = 20_000
MAX_WORD = 1000

# Above this, a whole number is not safe in every reader of JSON.
MAX_SAFE_INTEGER = 2**53


def table(value: object, *path: str) -> dict[str, Any]:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text(value: object, *path: str) -> str:
    *parents, name = path
    found = table(value, *parents).get(name)
    return clean(found) if isinstance(found, str) else ""


def clean(value: str) -> str:
    """The text as it can be stored: JSON may hold half a surrogate pair, and UTF-8 may not."""
    return value if value.isascii() else value.encode(errors="replace").decode()


def count(value: object, *path: str) -> int | None:
    """A count: nought or more."""
    *parents, name = path
    found = table(value, *parents).get(name)
    if isinstance(found, bool) or not isinstance(found, int):
        return None
    return found if 0 <= found < MAX_SAFE_INTEGER else None


def number(value: object, *path: str) -> float | None:
    """A figure that can be reckoned with: what reads JSON lets infinities through."""
    *parents, name = path
    found = table(value, *parents).get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if abs(found) < MAX_SAFE_INTEGER else None


def flag(value: object, *path: str) -> bool:
    *parents, name = path
    return table(value, *parents).get(name) is True


def tables(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def texts(value: object) -> list[str]:
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []


def time_from_unix(unix_seconds: float | None) -> datetime | None:
    try:
        return None if unix_seconds is None else datetime.fromtimestamp(unix_seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def shorten(value: str, most: int = MAX_TEXT) -> str:
    """The beginning of a long text, and how much of it was left out."""
    if len(value) <= most:
        return clean(value)
    end = _cut_before_word(value, most)
    return f"{clean(value[:end])}… ({len(value) - end} more)"


def shorten_middle(value: str, most: int = MAX_TEXT) -> str:
    """A long output without its middle: how it went is told at its end."""
    if len(value) <= most:
        return value
    half = most // 2
    end, start = _cut_before_word(value, half), _cut_after_word(value, len(value) - half)
    return f"{value[:end]}\n… ({start - end} more) …\n{value[start:]}"


def _cut_before_word(value: str, most: int) -> int:
    """Where to cut: half a word could be half a secret, which nothing would know for one."""
    for place in range(most, max(most - MAX_WORD, most // 2), -1):
        if value[place].isspace():
            return place
    return most


def _cut_after_word(value: str, least: int) -> int:
    for place in range(least, min(least + MAX_WORD, (least + len(value)) // 2)):
        if value[place - 1].isspace():
            return place
    return least


def shorten_input(value: object) -> dict[str, Any]:
    """A tool's arguments, cut in length, breadth and depth, so that no event is ever large."""
    cut = _InputCutter().cut(value, MAX_DEPTH) if isinstance(value, dict) else {}
    return cut if isinstance(cut, dict) else {}


class _InputCutter:
    """Cuts one tree of arguments; every value in it takes its share of what may be kept."""

    def __init__(self) -> None:
        self._left = MAX_INPUT

    def cut(self, value: object, depth: int) -> Any:
        self._left -= 1
        if isinstance(value, dict) and depth > 0:
            return {
                self._text(str(key), 100): self.cut(entry, depth - 1)
                for key, entry in list(value.items())[:MAX_KEYS]
                if self._left > 0
            }
        if isinstance(value, list) and depth > 0:
            return [self.cut(v, depth - 1) for v in value[:MAX_KEYS] if self._left > 0]
        return self._scalar(value)

    def _scalar(self, value: object) -> Any:
        if isinstance(value, str):
            return self._text(value, MAX_TEXT)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int | float):
            return value if abs(value) < MAX_SAFE_INTEGER else str(value)[:100]
        return "…"

    def _text(self, value: str, most: int) -> str:
        kept = shorten(value, max(0, min(most, self._left)))
        self._left -= len(kept)
        return kept
