"""Hides the remains of secrets where a text was truncated. Pure.

The search starts at the few truncation markers and reads only what could belong to them, so its
time is linear for any text.
"""

import re
from collections.abc import Iterator

from treadle.policy.secret_shapes import (
    CERTAIN_PREFIX,
    CUT,
    LONGEST_PREFIX,
    SECRET_PREFIX,
    SecretPrefix,
)

HIDDEN = "***"

# Letters of a known value that are enough to recognise its beginning or end.
PART = 12

# The end of the marker, before the text resumes.
RESUMED = "more) …\n"

Span = tuple[int, int]


def hide_truncated_values(text: str, known: tuple[str, ...]) -> str:
    """Hide the beginning of a known value before a cut or the end, and its end after a cut."""
    started = [form for form in known if form[:PART] in text]
    ended = [form for form in known if form[-PART:] in text] if RESUMED in text else []
    spans: list[Span] = []
    if started:
        for offset in (*_cuts(text), len(text)):
            spans.append((offset - max(_beginning(form, text, offset) for form in started), offset))
    if ended:
        for cut in re.finditer(re.escape(RESUMED), text):
            offset = cut.end()
            spans.append((offset, offset + max(_ending(form, text, offset) for form in ended)))
    return _hide_spans(text, sorted(spans))


def hide_truncated_shapes(text: str) -> str:
    """Hide the beginning of what looks like a credential before a cut or the end."""
    spans = [span for offset in _cuts(text) for span in _find_prefix(SECRET_PREFIX, text, offset)]
    return _hide_spans(text, [*spans, *_find_prefix(CERTAIN_PREFIX, text, len(text))])


def _cuts(text: str) -> Iterator[int]:
    return (cut.start() for cut in re.finditer(CUT, text))


def _find_prefix(prefix: SecretPrefix, text: str, offset: int) -> Iterator[Span]:
    """The span from the first prefix that only its letters separate from this offset."""
    window = text[max(0, offset - prefix.most - LONGEST_PREFIX) : offset]
    run = len(window) - len(window.rstrip(prefix.letters))
    for match in re.compile(prefix.pattern).finditer(text, offset - run, offset):
        if prefix.least <= offset - match.end() <= prefix.most:
            yield match.start(), offset
            return


def _beginning(form: str, text: str, offset: int) -> int:
    """The length of the form's beginning right before this offset."""
    start = max(0, offset - len(form) + 1)
    while (start := text.find(form[:PART], start, offset)) >= 0:
        if form.startswith(text[start:offset]):
            return offset - start
        start += 1
    return 0


def _ending(form: str, text: str, offset: int) -> int:
    """The length of the form's end right after this offset."""
    end = offset + len(form) - 1
    while (start := text.rfind(form[-PART:], offset, end)) >= 0:
        end = start + PART
        if form.endswith(text[offset:end]):
            return end - offset
        end -= 1
    return 0


def _hide_spans(text: str, spans: list[Span]) -> str:
    kept, done = [], 0
    for start, end in spans:
        if start == end:
            continue
        if start >= done:
            kept += [text[done:start], HIDDEN]
        done = max(done, end)
    return "".join([*kept, text[done:]]) if kept else text
