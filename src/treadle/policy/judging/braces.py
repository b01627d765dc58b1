"""Expands braces in words as bash does. Pure."""

import re
from dataclasses import replace
from itertools import pairwise
from math import prod

from treadle.policy.shell.syntax import Word

MOST = 64
_MOST_NUMBERS = 10_000
_MOST_STEPS = 32
# A range of one step makes no more words, so that words alone do not bound the work.
_MOST_ROUNDS = 4 * MOST
# More braces and commas in one word than a person would write; each round looks at all of them.
_MOST_MARKS = 512
_RANGE = re.compile(r"\{(\d{1,6})\.\.(\d{1,6})(?:\.\.\d+)?\}")
_ANY_RANGE = re.compile(
    r"\{(?:(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.(-?\d{1,3}))?"
    r"|(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,6}))?)\}"
)
_MARKS = re.compile(r"[{},]")
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
    # One after the other: a pattern for all three would try every brace with every comma.
    comma = text.find(",", text.find("{"))
    is_list = "{" in text and comma >= 0 and text.find("}", comma) >= 0
    return is_list or _odd_range(text)


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
    rounds = 0
    if sum(map(text.count, "{},")) > _MOST_MARKS:
        return None
    while waiting:
        word = waiting.pop(0)
        found = _first_list(word)
        if found is None:
            done.append(word)
        else:
            start, end, parts = found
            waiting[:0] = [f"{word[:start]}{part}{word[end:]}" for part in parts]
        rounds += 1
        if len(done) + len(waiting) > MOST or rounds > _MOST_ROUNDS:
            return None
    return tuple(done)


def _first_list(word: str) -> tuple[int, int, list[str]] | None:
    """Where the first list in braces stands, and its parts."""
    first: tuple[int, int, list[int]] | None = None
    # The braces that are open, each with the commas that are its own.
    opened: list[tuple[int, list[int]]] = []
    for mark in _MARKS.finditer(word):
        at = mark.start()
        if mark[0] == "{":
            opened.append((at, []))
        elif opened and mark[0] == ",":
            opened[-1][1].append(at)
        elif opened:
            start, commas = opened.pop()
            if commas and (first is None or start < first[0]):
                first = start, at + 1, commas
    limit = len(word) if first is None else first[0]
    if span := _first_range(word, limit):
        return span
    if first is None:
        return None
    start, end, commas = first
    bounds = [start, *commas, end - 1]
    return start, end, [word[before + 1 : after] for before, after in pairwise(bounds)]


def _first_range(word: str, limit: int) -> tuple[int, int, list[str]] | None:
    """The first range before `limit` that is written out."""
    for found in _ANY_RANGE.finditer(word, 0, limit):
        steps = _steps(*(group for group in found.groups() if group is not None))
        if steps:
            return found.start(), found.end(), steps
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
