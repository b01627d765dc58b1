"""Paths of the project that a word of a shell line may name. Pure."""

import posixpath
import re
from collections.abc import Collection, Iterator
from fnmatch import translate

# A part of a word that only the running shell knows.
UNKNOWN = "\0"
# At the start of a word: the top of the project.
TOP = "\1"
# The exit code of the command before.
LAST_STATUS = "$?"
_GLOB = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST_WORDS = 64


def resolve_path(word: str, folder: str) -> str | None:
    """The path of a word from the top of the project; None if it is elsewhere or unknown."""
    if word.startswith(TOP):
        path = posixpath.normpath(word.removeprefix(TOP).lstrip("/") or ".")
    elif UNKNOWN in word:
        path = posixpath.normpath(word.rpartition(UNKNOWN)[2].lstrip("/") or "..")
    elif word.startswith(("/", "~")) or not word:
        return None
    else:
        path = posixpath.normpath(posixpath.join(folder, word))
    if path.startswith(".."):
        return None
    return "" if path == "." else path


def matching_paths(word: str, folder: str, paths: Collection[str]) -> Iterator[str]:
    """The existing paths that a word names, with its braces and globs."""
    resolved = (resolve_path(each, folder) for each in _expand_braces(word))
    # The folder may have braces, too: it may be the variable of a loop.
    for path in (each for one in resolved if one is not None for each in _expand_braces(one)):
        if path in paths:
            yield path
        elif _GLOB.search(path):
            yield from filter(re.compile(translate(path)).match, paths)


def is_folder(path: str, paths: Collection[str]) -> bool:
    """Whether a path is a folder with files in it."""
    return not path or any(each.startswith(f"{path}/") for each in paths)


def _expand_braces(word: str) -> list[str]:
    words = [word]
    while found := next(filter(None, map(_BRACES.search, words)), None):
        if len(words) > _MOST_WORDS:
            return [word]
        words = [
            each.replace(found[0], choice, 1)
            for each in words
            for choice in (found[1].split(",") if found[0] in each else [found[0]])
        ]
    return words
