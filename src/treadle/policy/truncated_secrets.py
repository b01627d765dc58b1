"""Hides the remains of secrets where a text was truncated. Pure.

Everything starts from the cuts, which are few, and looks at no more than could belong to one:
the time it takes grows with the text and not faster, whatever the text is.
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

# How much of a known value is enough to be taken for the beginning or the end of it.
PART = 12

# What stands before the text that goes on behind a cut.
RESUMED = "more) …\n"

Span = tuple[int, int]


def hide_truncated_values(text: str, known: tuple[str, ...]) -> str:
    """Without the beginning of a known value before a cut or the end, and its end after a cut."""
    begun = [form for form in known if form[:PART] in text]
    ended = [form for form in known if form[-PART:] in text] if RESUMED in text else []
    spans: list[Span] = []
    if begun:
        for place in (*_cuts(text), len(text)):
            spans.append((place - max(_beginning(form, text, place) for form in begun), place))
    if ended:
        for cut in re.finditer(re.escape(RESUMED), text):
            place = cut.end()
            spans.append((place, place + max(_ending(form, text, place) for form in ended)))
    return _hide_spans(text, sorted(spans))


def hide_truncated_shapes(text: str) -> str:
    """Without the beginning of what has the shape of a credential, before a cut or the end."""
    spans = [span for place in _cuts(text) for span in _find_prefix(SECRET_PREFIX, text, place)]
    return _hide_spans(text, [*spans, *_find_prefix(CERTAIN_PREFIX, text, len(text))])


def _cuts(text: str) -> Iterator[int]:
    return (cut.start() for cut in re.finditer(CUT, text))


def _find_prefix(opening: SecretPrefix, text: str, place: int) -> Iterator[Span]:
    """From the first opening that nothing but its letters part from this place."""
    window = text[max(0, place - opening.most - LONGEST_PREFIX) : place]
    run = len(window) - len(window.rstrip(opening.letters))
    for begun in re.compile(opening.pattern).finditer(text, place - run, place):
        if opening.least <= place - begun.end() <= opening.most:
            yield begun.start(), place
            return


def _beginning(form: str, text: str, place: int) -> int:
    """How much of the form's beginning stands right before this place."""
    at = max(0, place - len(form) + 1)
    while (at := text.find(form[:PART], at, place)) >= 0:
        if form.startswith(text[at:place]):
            return place - at
        at += 1
    return 0


def _ending(form: str, text: str, place: int) -> int:
    """How much of the form's end stands right behind this place."""
    end = place + len(form) - 1
    while (at := text.rfind(form[-PART:], place, end)) >= 0:
        end = at + PART
        if form.endswith(text[place:end]):
            return end - place
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
