"""Expands braces in words as bash does. Pure."""

import re
from dataclasses import replace
from math import prod

from treadle.policy.shell.syntax import Word

MOST = 64
_MOST_NUMBERS = 10_000
_MOST_STEPS = 32
_RANGE = re.compile(r"\{(\d{1,6})\.\.(\d{1,6})(?:\.\.\d+)?\}")
_LETTERS = re.compile(r"\{(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.(-?\d{1,3}))?\}")
_NUMBERS = re.compile(r"\{(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,6}))?\}")
_LEFT_OVER = re.compile(r"\{.*,.*\}", re.DOTALL)
_ACTIVE = re.compile(r"[*?\[~]")


def expand_words(words: tuple[Word, ...]) -> tuple[Word, ...] | Word:
    """The words with lists in braces written out, or the word that cannot be.

    This comes before anything else is read from them: a list may hold an option.
    """
    if not any(word.expands for word in words):
        return words
    found: list[Word] = []
    for word in words:
        if not word.expands or "{" not in word.text or word.variables or word.substitutes:
            found.append(word)
            continue
        texts = expand_braces(word.text)
        # The parser does not say which braces are quoted.
        if word.quoted or texts is None or any(_is_odd(text) for text in texts):
            return word
        # Of an empty one, bash makes no word at all.
        found += [
            replace(word, text=text, expands=bool(_ACTIVE.search(text))) for text in texts if text
        ]
    return tuple(found)


def _is_odd(text: str) -> bool:
    """Whether bash finds a list where none is seen here: `{a},b}` is `a}` and `b`."""
    return bool(_LEFT_OVER.search(text)) or _odd_range(text)


def _odd_range(text: str) -> bool:
    """Many numbers are harmless up to a point; other ends may make a dash, or anything."""
    count = prod(max(int(end) if end.isdecimal() else 0 for end in found.groups()) or 1
                 for found in _RANGE.finditer(text))  # fmt: skip
    if count > _MOST_NUMBERS:
        return True
    return ".." in _RANGE.sub("", text) and "{" in _RANGE.sub("", text)


def expand_braces(text: str) -> tuple[str, ...] | None:
    """The words that `{a,b}` and `{a..c}` stand for, or None if they are too many to look at.

    A long range of numbers stays as it is: it holds no slash and no dash, so it leads nowhere else.
    """
    done: list[str] = []
    waiting = [text]
    while waiting:
        word = waiting.pop(0)
        found = _first_list(word)
        if found is None:
            done.append(word)
        else:
            start, end, parts = found
            waiting[:0] = [f"{word[:start]}{part}{word[end:]}" for part in parts]
        if len(done) + len(waiting) > MOST:
            return None
    return tuple(done)


def _first_list(word: str) -> tuple[int, int, list[str]] | None:
    """Where the first list in braces stands, and its parts."""
    for start, character in enumerate(word):
        if character == "{":
            found = _list_from(word, start)
            if found is not None:
                return found
    return None


def _list_from(word: str, start: int) -> tuple[int, int, list[str]] | None:
    if found := _LETTERS.match(word, start) or _NUMBERS.match(word, start):
        steps = _steps(*(group for group in found.groups() if group is not None))
        return (start, found.end(), steps) if steps else None
    depth, begin, parts = 0, start + 1, list[str]()
    for at in range(start, len(word)):
        character = word[at]
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 1:
            parts.append(word[begin:at])
            begin = at + 1
        if depth == 0:
            parts.append(word[begin:at])
            return (start, at + 1, parts) if len(parts) > 1 else None
    return None


def _steps(first: str, last: str, step: str = "1") -> list[str]:
    """What a range counts through; nothing if that is too much to write out."""
    letters = first.isalpha()
    start, end = (ord(first), ord(last)) if letters else (int(first), int(last))
    by = abs(int(step)) or 1
    counted = range(start, end + 1, by) if start <= end else range(start, end - 1, -by)
    if len(counted) > _MOST_STEPS:
        return []
    if letters:
        return [chr(code) for code in counted]
    # One end with a zero before it makes all of them as wide as the wider one.
    padded = any(re.match(r"-?0\d", end_of) for end_of in (first, last))
    width = max(len(first), len(last)) if padded else 0
    return [f"{number:0{width}d}" for number in counted]
