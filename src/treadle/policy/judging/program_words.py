"""Texts that sed, awk and jq run, given as a pattern: a file's name would become the text. Pure."""

import re
from collections.abc import Iterator

from treadle.policy.commands.catalogue import catalogue
from treadle.policy.judging.arguments import Misfit
from treadle.policy.judging.arguments_reading import read_arguments
from treadle.policy.shell.syntax import Command, Word

_PROGRAMS = frozenset({"sed", "awk", "jq"})
_NAMED = frozenset({"-e", "--expression"})
# A step that ends before a slash is bounded by it; what follows the last one is not.
_OPEN_END = re.compile(r"[*?][^/]*$")


def pattern_refusal(command: Command) -> str | None:
    """Why its text is not known: bash would put names of files in its place."""
    for at, word in enumerate(command.words):
        if word.text in _PROGRAMS and (not at or _is_wrapper(command.words[0])):
            for text in _texts(word.text, command.words[at + 1 :]):
                if text.expands and _OPEN_END.search(text.text):
                    return f"what {text.text} becomes is known only at run time. Put it in quotes"
    return None


def _is_wrapper(name: Word) -> bool:
    return any(entry.rule.wraps >= 0 for entry in catalogue().get(name.text, ()))


def _texts(name: str, words: tuple[Word, ...]) -> Iterator[Word]:
    given = read_arguments(catalogue()[name][0].rule, words)
    if isinstance(given, Misfit):
        return
    yield from (value.word for value in given.values if value.kind in _PROGRAMS)
    if given.rule.check == "sed" and _NAMED.isdisjoint(given.switches):
        yield from given.operands[:1]
