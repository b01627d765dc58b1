"""Finds secret or protected names that an unquoted pattern may match. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from treadle.policy.judging.braces import expand_braces
from treadle.policy.judging.secret_files import FOLDERS, SECRET_NAMES, is_specific_to, matches_any
from treadle.policy.protected_paths import PROTECTED
from treadle.policy.shell.syntax import Word

_GLOB = re.compile(r"[*?\[]")


def guarded_matches(word: Word) -> tuple[Word, ...]:
    """The word as it would be if a file of secrets, or one that is protected, were there."""
    if not word.expands or word.variables or word.substitutes or not _GLOB.search(word.text):
        return ()
    found = (each for text in expand_braces(word.text) or () for each in _matches(text))
    return tuple(
        replace(word, text=text, expands=bool(_GLOB.search(text))) for text in dict.fromkeys(found)
    )


def _matches(text: str) -> Iterator[str]:
    steps = text.split("/")
    for at, step in enumerate(steps):
        if not _GLOB.search(step):
            continue
        last = at == len(steps) - 1
        # One file of secrets represents all of them.
        names = [*_match_step(step, PROTECTED), *_match_step(step, FOLDERS)[:1]]
        names += _match_step(step, SECRET_NAMES)[:1] if last else []
        yield from ("/".join((*steps[:at], name, *steps[at + 1 :])) for name in names)


def _match_step(step: str, listed: Iterable[str]) -> list[str]:
    """Bash passes over a name with a dot unless the pattern begins with one."""
    return [
        name
        for name in listed
        if is_specific_to(step, name)
        and (name[0] != "." or step[0] in ".[")
        and matches_any(step, (name,))
    ]
