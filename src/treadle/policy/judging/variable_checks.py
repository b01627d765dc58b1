"""Checks which variables a line may set and use, and expands known values. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product, takewhile

from treadle.policy.judging.braces import expand_words
from treadle.policy.judging.globs import guarded_matches
from treadle.policy.judging.paths import path_refusal
from treadle.policy.judging.secret_files import is_secret_variable
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.variable_names import (
    DANGEROUS,
    FOLDERS,
    LOCAL_DATABASE,
    MOVING,
    ONLY,
    SETTABLE,
    SETTABLE_PREFIX,
    SHAPED,
    USABLE,
)
from treadle.policy.shell.syntax import (
    Assignment,
    ParsedLine,
    ShellCommand,
    Word,
    WordsOutsideCommands,
)

_UNSETTING = (["unset"], ["read"])
_MOST_READINGS = 32
_USE = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<bare>\w+))")
_SPREADS = re.compile(r"[*?\[\]{}~]")


def assignment_refusal(
    assignment: Assignment, command: ShellCommand, location: CommandLocation
) -> str | None:
    """Why this variable must not be set here."""
    name, value = assignment.name, assignment.value
    alone = not command.words
    if name == "IFS" and value.plain and command.words[:1] and command.words[0].text == "read":
        return None
    if alone and not DANGEROUS.fullmatch(name):
        return None
    if name in ONLY and value.plain and value.text in ONLY[name]:
        return None
    if name in SHAPED and value.plain and SHAPED[name].fullmatch(value.text):
        return None
    if name in FOLDERS and not alone:
        return _folders_refusal(value, location)
    if name == "DATABASE_URL" and value.plain and LOCAL_DATABASE.match(value.text):
        return None
    if (name in SETTABLE or name.startswith(SETTABLE_PREFIX)) and not is_secret_variable(name):
        known = not (value.variables or value.substitutes or value.text.startswith("~"))
        return None if known else f"the value of {name} must be written out"
    return f"the variable {name} must not be set: it may change which code runs. Leave it out"


def _folders_refusal(value: Word, location: CommandLocation) -> str | None:
    for part in value.text.split(":"):
        piece = replace(value, text=part or ".")
        reason = path_refusal(piece, "run", location)
        if reason:
            return reason
    return None


def name_refusal(name: str) -> str | None:
    """Why `read` must not assign this name."""
    if not name.isidentifier() or DANGEROUS.fullmatch(name) or is_secret_variable(name):
        return f"the variable {name} must not be set to what is read. Use another name"
    return None


def loop_refusal(script: ParsedLine) -> str | None:
    for loop in script.loops:
        if DANGEROUS.fullmatch(loop.variable):
            return f"the variable {loop.variable} must not be set by a loop. Use another name"
    return None


def mention_refusal(script: ParsedLine) -> str | None:
    """Why a loop or a `case` must not name a variable: that shows it as printing it does."""
    for mention in script.mentions:
        used = [name for word in mention.words for name in word.variables if name != "@"]
        if used:
            known = _known_at(mention, script)
            reason = next(filter(None, (_not_set(name, known) for name in used)), None)
            if reason is not None:
                return reason
    return None


def use_refusal(command: ShellCommand, script: ParsedLine) -> str | None:
    """Why a variable must not be used: what is not set in the line may be a secret."""
    if not any(word.variables for word in _all_words(command)):
        return None
    before = sum(1 for _ in takewhile(lambda each: each is not command, script.commands))
    at = WordsOutsideCommands(command.words, before, command.scope, command.loops)
    known = _known_at(at, script)
    for given in command.assignments:
        for name in given.value.variables:
            if reason := _not_set(name, known):
                return reason
        # What stands alone is set one after the other.
        known |= set() if command.words else {given.name}
    others = (*command.words, *(redirect.target for redirect in command.redirects))
    used = (name for word in others for name in word.variables)
    return next(filter(None, (_not_set(name, known) for name in used)), None)


def _not_set(name: str, known: set[str]) -> str | None:
    if name in known:
        return None
    return (
        f"the variable {name} is not set in this line, and may be a secret. "
        "Set it in the line, or write the value out"
    )


def _known_at(at: WordsOutsideCommands, script: ParsedLine) -> set[str]:
    """What has a value of this line's by then; what is named like a secret, surely has one."""
    known = {"PWD", *USABLE, *at.loops}
    for each in script.commands[: at.after]:
        if at.scope[: len(each.scope)] == each.scope:
            kept = not each.words or each.words[0].text == "export"
            known |= {
                given.name
                for given in (each.assignments if kept else ())
                if each.certain or not is_secret_variable(given.name)
            }
            known |= {name for name in _read_by(each) if not is_secret_variable(name)}
    known |= {
        each.variable
        for each in script.mentions
        if each.after <= at.after and at.scope[: len(each.scope)] == each.scope
        if not is_secret_variable(each.variable)
    }
    return known


def _read_by(command: ShellCommand) -> Iterator[str]:
    """The names that a `read` assigns."""
    texts = [word.text for word in command.words]
    if texts[:1] != ["read"]:
        return
    before = ""
    for text in texts[1:]:
        if not text.startswith("-") and before not in ("d", "n"):
            yield text
        # Such an option takes the next word.
        before = text[-1] if text.startswith("-") else ""


def _all_words(command: ShellCommand) -> tuple[Word, ...]:
    if not (command.assignments or command.redirects):
        return command.words
    values = (given.value for given in command.assignments)
    return (*command.words, *values, *(redirect.target for redirect in command.redirects))


def expand_variables(
    command: ShellCommand, script: ParsedLine, location: CommandLocation
) -> tuple[ShellCommand, ...] | None:
    """The command with known variables put in: once for each value they may have; None if too many.

    A word whose value is not surely known stays as it is, and the rules treat it as unknown.
    """
    if all(not word.variables for word in command.words):
        return _with_matches((command,))
    choices = [_choices(word, command, script, location) for word in command.words]
    if any(len(choice) > _MOST_READINGS for choice in choices):
        return None
    found = tuple(product(*choices))
    if len(found) > _MOST_READINGS:
        return None
    return _with_matches(tuple(replace(command, words=words) for words in found))


def _with_matches(given: tuple[ShellCommand, ...]) -> tuple[ShellCommand, ...] | None:
    """Besides, each with a pattern replaced by a name that it is made for and that is guarded."""
    found = list(given)
    for command in given:
        for at, word in enumerate(command.words):
            found += [
                replace(command, words=(*command.words[:at], match, *command.words[at + 1 :]))
                for match in guarded_matches(word)
            ]
    return tuple(found) if len(found) <= _MOST_READINGS * 2 else None


def _choices(
    word: Word, command: ShellCommand, script: ParsedLine, location: CommandLocation
) -> tuple[Word, ...]:
    """The word with every value that its variables may have; as it is, if one is not known."""
    uses = tuple(_USE.finditer(word.text))
    used = [use["braced"] or use["bare"] for use in uses]
    # With one dollar sign for each alone: of more, some may be quoted and no variables at all.
    if word.substitutes or word.text.count("$") != len(word.variables):
        return (word,)
    if sorted(used) != sorted(word.variables):
        return (word,)
    values = [_values(name, command, script, location) for name in used]
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


def _values(
    name: str, command: ShellCommand, script: ParsedLine, location: CommandLocation
) -> tuple[Word, ...]:
    """Every value that the variable may have here; none if one of them is not known."""
    if name == "PWD":
        return tuple(Word(directory) for directory in location.directories)
    if name in MOVING or any(_takes_away(each, name) for each in script.commands):
        return ()
    values = [given.value for each in script.commands for given in _set_by(each, name)]
    looped = [
        each
        for loop in script.loops
        if loop.variable == name
        for value in loop.values
        for each in _spread_out(value)
    ]
    if not _is_set(name, command, script):
        return ()
    values += looped
    return tuple(dict.fromkeys(values)) if all(map(_is_known, values)) else ()


def _spread_out(value: Word) -> tuple[Word, ...]:
    """The values that a loop takes from one word: a list in braces is several."""
    if not value.expands or "{" not in value.text or value.variables or value.substitutes:
        return (value,)
    found = None if value.quoted else expand_words((value,))
    return (
        (replace(value, substitutes=True),) if found is None or isinstance(found, Word) else found
    )


def _is_set(name: str, command: ShellCommand, script: ParsedLine) -> bool:
    """Whether it surely has a value by then. Outside of its loop, a variable may have none yet."""
    return name in command.loops or any(
        each.certain and command.scope[: len(each.scope)] == each.scope
        for each in takewhile(lambda each: each is not command, script.commands)
        if any(_set_by(each, name))
    )


def _takes_away(command: ShellCommand, name: str) -> bool:
    """Whether it gives the variable a value that is not written in the line, or none at all."""
    said = [word.text for word in command.words]
    return said[:1] in _UNSETTING and name in said


def _is_known(value: Word) -> bool:
    """A tilde has become a home by the time the value is used."""
    return not (value.variables or value.substitutes or (value.expands and "~" in value.text))


def _set_by(command: ShellCommand, name: str) -> Iterator[Assignment]:
    """A variable before a command is that command's alone; the shell does not keep it."""
    if not command.words or command.words[0].text == "export":
        yield from (given for given in command.assignments if given.name == name)
