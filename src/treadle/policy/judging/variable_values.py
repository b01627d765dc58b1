"""Puts in what variables and patterns of a line stand for, as far as it is known. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, product
from math import prod

from treadle.policy.judging.braces import expand_braces, expand_words
from treadle.policy.judging.listed_names import handed_item, with_listed_names
from treadle.policy.judging.secret_files import FOLDERS, SECRET_NAMES, is_specific_to, matches_any
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.variable_names import MOVING
from treadle.policy.protected_paths import PROTECTED
from treadle.policy.shell.syntax import ParsedLine, ShellCommand, Word

_MOST_READINGS = 32
_USE = re.compile(r"\$(?:\{(?P<braced>\w+)(?:%(?P<cut>[\w.-]+))?\}|(?P<bare>\w+))")
_SPREADS = re.compile(r"[*?\[\]{}~]")
_GLOB = re.compile(r"[*?\[]")


def expand_variables(
    command: ShellCommand, script: ParsedLine, location: CommandLocation
) -> tuple[ShellCommand, ...] | None:
    """The command with known variables put in: once for each value they may have; None if too many.

    A word whose value is not surely known stays as it is, and the rules treat it as unknown.
    """
    if all(not word.variables and not word.substitutes for word in command.words):
        return _with_matches((command,))
    choices = [_choices(word, command, script, location) for word in command.words]
    # Before they are made: a short line can have more than fit into any memory.
    if prod(len(choice) for choice in choices) > _MOST_READINGS:
        return None
    found = product(*choices)
    return _with_matches(tuple(replace(command, words=words) for words in found))


def _with_matches(given: tuple[ShellCommand, ...]) -> tuple[ShellCommand, ...] | None:
    """Besides, each with a pattern replaced by a name that it is made for and that is guarded."""
    found = list(given)
    for command in given:
        for at, word in enumerate(command.words):
            found += [
                replace(command, words=(*command.words[:at], match, *command.words[at + 1 :]))
                for match in _guarded_matches(word)
            ]
    return tuple(found) if len(found) <= _MOST_READINGS * 2 else None


def _choices(
    word: Word, command: ShellCommand, script: ParsedLine, location: CommandLocation
) -> tuple[Word, ...]:
    """The word with every value that its variables may have; as it is, if one is not known."""
    if (listed := with_listed_names(word)) is not None:
        return (listed,)
    uses = tuple(_USE.finditer(word.text))
    used = [use["braced"] or use["bare"] for use in uses]
    # With one dollar sign for each alone: of more, some may be quoted and no variables at all.
    counted = word.text.count("$") == len(word.variables)
    computed = word.substitutes and not any(use["cut"] for use in uses)
    if computed or not counted or sorted(used) != sorted(word.variables):
        return (word,)
    values = [_values(use, script, location) for use in uses]
    given = islice(product(*values), _MOST_READINGS + 1) if all(values) else ()
    return tuple(_substitute(word, uses, each) for each in given) or (word,)


def _substitute(word: Word, uses: tuple[re.Match[str], ...], values: tuple[Word, ...]) -> Word:
    """The word with these values; as it is, if bash would make several words of it, or none."""
    if word.expands and any(_changes(value) for value in values):
        return word
    text, rest, at = "", "", 0
    for use, value in zip(uses, values, strict=True):
        text += word.text[at : use.start()] + value.text
        rest += word.text[at : use.start()]
        at = use.end()
    rest += word.text[at:]
    # A pattern that a loop goes through has become names, also where they stand in quotes.
    spreads = any(value.expands for value in values) or (
        word.expands and bool(_SPREADS.search(rest))
    )
    return Word(text + word.text[at:], expands=spreads, quoted=word.quoted)


def _changes(value: Word) -> bool:
    """Whether bash makes something else of it where it does not stand in quotes."""
    splits = re.search(r"\s", value.text) or not value.text
    return bool(splits or (_SPREADS.search(value.text) and not value.expands))


def _values(use: re.Match[str], script: ParsedLine, location: CommandLocation) -> tuple[Word, ...]:
    """Every value that the line gives the variable; none if one of them is not known."""
    name, cut = use["braced"] or use["bare"], use["cut"] or ""
    if name == "PWD":
        return tuple(Word(directory) for directory in location.directories)
    if name in MOVING:
        return ()
    values = [
        with_listed_names(given.value) or given.value
        for each in script.commands
        if not each.words or each.words[0].text == "export"
        for given in each.assignments
        if given.name == name
    ]
    for loop in script.loops:
        if loop.variable == name:
            values += [each for value in loop.values for each in _spread_out(value)]
    values += [handed_item(each) for each in script.commands if _reads(each, name)]
    if not all(map(_is_known, values)):
        return ()
    return tuple(replace(value, text=value.text.removesuffix(cut)) for value in values)


def _spread_out(value: Word) -> tuple[Word, ...]:
    """The values that a loop takes from one word: a list in braces is several."""
    found = expand_words((with_listed_names(value) or value,))
    return (replace(value, substitutes=True),) if isinstance(found, Word) else found


def _reads(command: ShellCommand, name: str) -> bool:
    """Whether it is the `read` of `LIST | while read -r NAME`."""
    said = [word.text for word in command.words]
    return said[:1] in (["read"], ["unset"]) and name in said


def _is_known(value: Word) -> bool:
    """A tilde has become a home by the time the value is used."""
    return not (value.variables or value.substitutes or (value.expands and "~" in value.text))


def _guarded_matches(word: Word) -> tuple[Word, ...]:
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
