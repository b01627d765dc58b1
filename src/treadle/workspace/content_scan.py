"""Finds credentials in content of any size, piece by piece. Pure."""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from treadle.policy.secret_search import SecretMatch, SecretSearch

_WINDOW = 1 << 20
# The end of a window is searched again with the next one: a credential may span both.
_OVERLAP = 1 << 16
# A credential may be as long as a window; this much of it tells it from another.
_LONGEST_VALUE = 4096
MOST_MATCHES = 2000
# The same credential again and again is one match, and is looked at each time.
_MOST_LOOKS = 10 * MOST_MATCHES
_TOO_MANY = "\0"  # the value of no text: zero bytes are not searched


@dataclass(frozen=True, slots=True)
class ContentMatch:
    """A credential in some content: its line, its kind, and its value, which is never printed."""

    line: int
    kind: str
    value: str = field(repr=False)


def find_in_pieces(pieces: Iterable[bytes], search: SecretSearch) -> tuple[ContentMatch, ...]:
    """Every credential in the content. All pieces are read, whatever is found.

    Content with very many credentials gets one match that no earlier content can explain.
    """
    matches: dict[ContentMatch, None] = {}
    looks = 0
    for window in _windows(pieces, search.longest):
        if len(matches) > MOST_MATCHES or looks > _MOST_LOOKS or not search.may_hold(window.text):
            continue
        lines = _LineCounter(window)
        for secret in search.find_secrets(window.text):
            if not window.is_whole(secret):
                continue
            looks += 1
            value = secret.value[:_LONGEST_VALUE]
            if len(matches) >= MOST_MATCHES or looks > _MOST_LOOKS:
                value = _TOO_MANY
            matches[ContentMatch(lines.line_at(secret.at), secret.kind, value)] = None
            if value == _TOO_MANY:
                break
    return tuple(matches)


def values_in_pieces(pieces: Iterable[bytes], values: Iterable[str], longest: int) -> set[str]:
    """Which of these values the content has. All pieces are read, whatever is found."""
    missing, found = set(values), set()
    for window in _windows(pieces, longest):
        here = {value for value in missing if value in window.text}
        missing -= here
        found |= here
    return found


@dataclass(frozen=True, slots=True)
class _Window:
    """Consecutive text of some content, without zero bytes, which separate letters in UTF-16."""

    text: str
    line: int  # of its first letter
    is_first: bool
    is_last: bool

    def is_whole(self, secret: SecretMatch) -> bool:
        """Whether the match is not cut off by the window, so that its surroundings count."""
        end = secret.at + len(secret.value)
        if not self.is_first and secret.at == 0:
            return False  # the window before had it, with the letter before it
        return self.is_last or end < len(self.text) or len(secret.value) >= _LONGEST_VALUE


class _LineCounter:
    """Counts lines from one match to the next; from the start, many matches would take long."""

    def __init__(self, window: _Window) -> None:
        self._text = window.text
        self._at, self._line = 0, window.line

    def line_at(self, at: int) -> int:
        if at < self._at:
            self._line -= self._text.count("\n", at, self._at)
        else:
            self._line += self._text.count("\n", self._at, at)
        self._at = at
        return self._line


def _windows(pieces: Iterable[bytes], longest: int) -> Iterator[_Window]:
    overlap = max(_OVERLAP, 2 * longest)
    # The same decoding as of file names: no byte is lost, and equal bytes are equal text.
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    text, line, is_first = "", 1, True
    for piece in _joined(pieces):
        text += decoder.decode(piece.replace(b"\0", b""))
        if len(text) < _WINDOW + overlap:
            continue
        yield _Window(text, line, is_first, is_last=False)
        line += text.count("\n", 0, len(text) - overlap)
        text, is_first = text[-overlap:], False
    text += decoder.decode(b"", final=True)
    if text or is_first:
        yield _Window(text, line, is_first, is_last=True)


def _joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of a size that is worth decoding."""
    joined: list[bytes] = []
    size = 0
    for piece in pieces:
        joined.append(piece)
        size += len(piece)
        if size >= _WINDOW:
            yield b"".join(joined)
            joined, size = [], 0
    yield b"".join(joined)
