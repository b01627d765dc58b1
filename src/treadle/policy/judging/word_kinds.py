"""All kinds of words that rules can name, each with its check. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from treadle.policy.judging.embedded_programs import PROGRAMS
from treadle.policy.judging.git_kinds import GIT_KINDS
from treadle.policy.judging.name_kinds import NAME_KINDS, WordKind, unknown_word_refusal
from treadle.policy.judging.path_kinds import PATH_KINDS
from treadle.policy.judging.secret_files import selects_secrets
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.shell.syntax import Word


def _text(word: Word, location: CommandLocation) -> str | None:
    return None


def _program(name: str) -> WordKind:
    def check(word: Word, location: CommandLocation) -> str | None:
        return unknown_word_refusal(replace(word, expands=False)) or PROGRAMS[name](word.text)

    return check


def _filter(word: Word, location: CommandLocation) -> str | None:
    """Which files a search opens: to choose one of secrets is to name it."""
    if word.variables or word.substitutes:
        return unknown_word_refusal(word)
    return f"{word.text} chooses files of secrets" if selects_secrets(word.text) else None


KINDS: Mapping[str, WordKind] = {
    "text": _text,
    "filter": _filter,
    "sed": _program("sed"),
    "awk": _program("awk"),
    "jq": _program("jq"),
    **NAME_KINDS,
    **PATH_KINDS,
    **GIT_KINDS,
}
