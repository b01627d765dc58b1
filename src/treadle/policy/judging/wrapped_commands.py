"""Finds the commands that `timeout`, `env`, `xargs` and `find -exec` would run. Pure."""

import re
from dataclasses import replace

from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.listed_names import UNKNOWN_ITEM, handed_item, item_of
from treadle.policy.shell.syntax import Assignment, ShellCommand, Word

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_ENDS = frozenset({";", "+"})


def unwrap(command: ShellCommand, arguments: Arguments) -> ShellCommand | None:
    """The inner command, with the variables that the wrapper sets for it; None if there is none."""
    words, assignments = arguments.rest, command.assignments
    if arguments.full_name == "xargs":
        item = UNKNOWN_ITEM if arguments.value("-a") else handed_item(command)
        return replace(command, words=_with_item(words, arguments, item)) if words else None
    if arguments.full_name == "env":
        while words and (found := _ASSIGNED.fullmatch(words[0].text)):
            value = replace(words[0], text=found[2])
            assignments = (*assignments, Assignment(found[1], value))
            words = words[1:]
    return replace(command, words=words, assignments=assignments) if words else None


def _with_item(words: tuple[Word, ...], arguments: Arguments, item: Word) -> tuple[Word, ...]:
    mark = arguments.value("-I")
    if mark is None:
        return (*words, item)
    return tuple(
        replace(
            word,
            text=word.text.replace(mark.text, item.text),
            substitutes=word.substitutes or item.substitutes,
        )
        if mark.text in word.text
        else word
        for word in words
    )


def split_executed(
    name: str, command: ShellCommand
) -> tuple[ShellCommand, tuple[ShellCommand, ...]] | str:
    """A `find` without its `-exec`, and the commands that those run; or why they are not known."""
    if name != "find" or all(word.text != "-exec" for word in command.words):
        return command, ()
    item = item_of([word.text for word in command.words])
    kept: list[Word] = []
    inner: list[ShellCommand] = []
    words = list(command.words)
    while words:
        word = words.pop(0)
        if word.text != "-exec":
            kept.append(word)
            continue
        end = next((at for at, each in enumerate(words) if each.text in _ENDS), len(words))
        ran = tuple(replace(each, text=each.text.replace("{}", item)) for each in words[:end])
        if not ran:
            return "-exec needs a command"
        inner.append(replace(command, words=ran, assignments=(), redirects=()))
        words = words[end + 1 :]
    return replace(command, words=tuple(kept)), tuple(inner)
