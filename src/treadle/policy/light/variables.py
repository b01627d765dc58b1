"""Finds uses of secret variables, and puts in the values that a line itself sets. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice, product

from treadle.domain.agent import Deny
from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.secret_files import is_secret_variable
from treadle.policy.shell.syntax import Assignment, Loop, Redirect, ShellCommand, Word

_MOST_READINGS = 16
_MOST_VALUES = 8
_USE = re.compile(r"\$(?:\{(?P<braced>\w+)(?:\[[^\]]*\])?\}|(?P<bare>[A-Za-z_]\w*))")
_WHOLE_ARRAY = re.compile(r"\$\{(\w+)\[[@*]\]\}")
# What `$(echo x)` and `$(which x)` print is in the line.
_PRINTED = re.compile(
    r"(?:\$\(|`)\s*+(?:echo|printf|which|command\s++-v|type\s++-P)\s++([^)`;|&]++)[)`]"
)
_QUOTES = "'\""
_TEXTS = frozenset({"heredoc", "herestring"})
_TESTS = frozenset({"[", "[[", "test"})
DECLARING = names("export declare typeset local readonly")
_READING = names("read mapfile readarray getopts")
_NO_SECRETS = names("KEY_ID SSH_AUTH_SOCK XAUTHORITY")


@dataclass(slots=True)
class LineVariables:
    """The variables that a line has set so far, with their values if these are written there."""

    values: dict[str, list[Word]] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    kept: list[Assignment] = field(default_factory=list)

    @classmethod
    def of_loops(cls, loops: Iterable[Loop]) -> "LineVariables":
        found = cls()
        for loop in loops:
            found.assigned.add(loop.variable)
            found.values.setdefault(loop.variable, []).extend(loop.values[:_MOST_VALUES])
        return found

    def find_secret_use(self, command: ShellCommand) -> Deny | None:
        """The refusal if the command uses a secret variable that the line does not set."""
        if command.words and command.words[0].text in _TESTS:
            return None
        words = (
            *command.words,
            *(given.value for given in command.assignments),
            *(redirect.target for redirect in command.redirects),
        )
        for name in (name for word in words for name in word.variables):
            if name not in self.assigned and name not in _NO_SECRETS and is_secret_variable(name):
                return deny_variable(name)
        return None

    def record(self, command: ShellCommand) -> None:
        """What the command sets for those after it."""
        name = command.words[0].text if command.words else ""
        if not name or name in DECLARING:
            for given in command.assignments:
                self.assigned.add(given.name)
                self.kept.append(given)
                if given.value.plain and given.value.text:
                    self.values.setdefault(given.name, []).append(given.value)
        elif name in _READING:
            self.assigned.update(word.text for word in command.arguments)
        elif name == "printf" and command.arguments[:1] == (Word("-v"),):
            self.assigned.update(word.text for word in command.arguments[1:2])

    def readings(self, command: ShellCommand) -> Iterator[ShellCommand]:
        """The command with known values put in, once for each combination."""
        targets = [redirect.target for redirect in command.redirects]
        if all(word.plain for word in (*command.words, *targets)):
            yield command
            return
        redirects = tuple(self._redirect(each) for each in command.redirects)
        choices = [self._choices(word) for word in command.words]
        for parts in islice(product(*choices), _MOST_READINGS):
            words = tuple(word for words in parts for word in words)
            yield replace(command, words=words, redirects=redirects)

    def _redirect(self, redirect: Redirect) -> Redirect:
        """The redirection with the last value of its variables."""
        if redirect.target.plain or redirect.kind in _TEXTS:
            return redirect
        *_, last = self._choices(redirect.target)
        return replace(redirect, target=last[0]) if len(last) == 1 else redirect

    def _choices(self, word: Word) -> list[tuple[Word, ...]]:
        if word.plain:
            return [(word,)]
        if named := _PRINTED.fullmatch(word.text):
            return [tuple(_printed_words(named[1].split()))]
        if array := _WHOLE_ARRAY.fullmatch(word.text):
            values = self.values.get(array[1])
            return [tuple(values)] if values else [(word,)]
        found = [
            tuple(self._values(use["braced"] or use["bare"], use[0]))
            for use in _USE.finditer(word.text)
        ]
        if not found:
            return [(word,)]
        return [_put_in(word, values) for values in islice(product(*found), _MOST_READINGS)]

    def _values(self, name: str, written: str) -> Iterator[Word]:
        known = self.values.get(name, ())[-_MOST_VALUES:]
        yield from known or (Word(written, variables=(name,)),)


def _printed_words(texts: list[str]) -> Iterator[Word]:
    """Without options, and without the format of a `printf`."""
    begins = True
    for at, text in enumerate(texts):
        begins = begins and (text.startswith("-") or "%" in text) and at < len(texts) - 1
        if not begins:
            yield Word(text.strip(_QUOTES))


def deny_variable(name: str) -> Deny:
    return Deny(
        f"The variable {name} may be a secret, and this line does not set it. "
        f"Set a value for the test in the line: {name}=test-value.",
        "secret-variable",
    )


def _put_in(word: Word, values: tuple[Word, ...]) -> tuple[Word, ...]:
    text, at = "", 0
    for use, value in zip(_USE.finditer(word.text), values, strict=True):
        text += word.text[at : use.start()] + value.text
        at = use.end()
    text += word.text[at:]
    left = tuple(name for value in values for name in value.variables)
    filled = replace(word, text=text, variables=left, substitutes="$(" in text or "`" in text)
    # Without quotes bash splits the value into words.
    if word.expands and not word.quoted and not filled.substitutes and " " in text:
        return tuple(replace(filled, text=each) for each in text.split())
    return (filled,)
