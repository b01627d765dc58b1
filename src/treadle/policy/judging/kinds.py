"""Kinds of words that rules speak of, and whether a word may be one of them. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from treadle.policy.judging.git_kinds import GIT_KINDS
from treadle.policy.judging.name_kinds import NAME_KINDS, Kind, known
from treadle.policy.judging.path_kinds import PATH_KINDS
from treadle.policy.judging.place import Place
from treadle.policy.judging.programs import PROGRAMS
from treadle.policy.judging.secrets import chooses_secrets
from treadle.policy.shell.syntax import Word


def _text(word: Word, place: Place) -> str | None:
    return None


def _program(name: str) -> Kind:
    def check(word: Word, place: Place) -> str | None:
        return known(replace(word, expands=False)) or PROGRAMS[name](word.text)

    return check


def _filter(word: Word, place: Place) -> str | None:
    """Which files a search opens: to choose one of secrets is to name it."""
    if word.variables or word.substitutes:
        return known(word)
    return f"{word.text} chooses files of secrets" if chooses_secrets(word.text) else None


KINDS: Mapping[str, Kind] = {
    "text": _text,
    "free": _text,
    "filter": _filter,
    "sed": _program("sed"),
    "awk": _program("awk"),
    "jq": _program("jq"),
    **NAME_KINDS,
    **PATH_KINDS,
    **GIT_KINDS,
}
