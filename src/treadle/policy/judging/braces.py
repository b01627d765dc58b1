"""Writes out the lists in braces of words, as bash does. Pure."""

import re
from dataclasses import replace

from treadle.policy.shell.syntax import Word

MOST = 64
_MOST_STEPS = 32
_MOST_ROUNDS = 4 * MOST
# More braces and commas in one word than a person would write.
_MOST_MARKS = 512
_INNERMOST = re.compile(r"\{([^{}]*)\}")
_LETTERS = re.compile(r"([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z])")
_NUMBERS = re.compile(r"(0|[1-9]\d{0,3})\.\.(0|[1-9]\d{0,3})")
_LONG_RANGE = re.compile(r"\{\d{1,4}\.\.\d{1,4}(?:\.\.\d+)?\}")
_ACTIVE = re.compile(r"[*?\[~]")
# What stands in braces and is no list keeps them.
_OPENED, _CLOSED = "\x01", "\x02"


def expand_words(words: tuple[Word, ...]) -> tuple[Word, ...] | Word:
    """The words with lists in braces written out, or the word that cannot be.

    This comes before anything else is read from them: a list may hold an option.
    """
    found: list[Word] = []
    for word in words:
        if not word.expands or "{" not in word.text or word.variables or word.substitutes:
            found.append(word)
            continue
        texts = expand_braces(word.text)
        # The parser does not say which braces are quoted.
        if word.quoted or texts is None or any(map(_is_odd, texts)):
            return word
        # Of an empty one, bash makes no word at all.
        found += [
            replace(word, text=text, expands=bool(_ACTIVE.search(text))) for text in texts if text
        ]
    return tuple(found)


def _is_odd(text: str) -> bool:
    """Whether bash may find a list where none is seen here: `{a},b}` is `a}` and `b`."""
    left = _LONG_RANGE.sub("", text)
    return "{" in left and ("," in left or ".." in left)


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
        found = _INNERMOST.search(word)
        if found is None:
            done.append(word)
        else:
            parts = _parts(found[1]) or [f"{_OPENED}{found[1]}{_CLOSED}"]
            waiting[:0] = [f"{word[: found.start()]}{part}{word[found.end() :]}" for part in parts]
        rounds += 1
        if len(done) + len(waiting) > MOST or rounds > _MOST_ROUNDS:
            return None
    return tuple(dict.fromkeys(each.replace(_OPENED, "{").replace(_CLOSED, "}") for each in done))


def _parts(inside: str) -> list[str]:
    """What a list stands for; nothing if it is none, or a range that is too long."""
    if "," in inside:
        return inside.split(",")
    if found := _LETTERS.fullmatch(inside):
        first, last = (ord(letter) for letter in found.groups() if letter)
        return [chr(code) for code in _counted(first, last)]
    if found := _NUMBERS.fullmatch(inside):
        steps = _counted(int(found[1]), int(found[2]))
        return [str(number) for number in steps] if len(steps) <= _MOST_STEPS else []
    return []


def _counted(first: int, last: int) -> range:
    return range(first, last + 1) if first <= last else range(first, last - 1, -1)
