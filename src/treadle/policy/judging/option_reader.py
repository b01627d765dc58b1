"""Splits a command's words into options, values and operands by its rule. Pure."""

import re
from collections.abc import Mapping
from itertools import pairwise

from treadle.policy.commands.project_tools import WHOLE
from treadle.policy.commands.rule_syntax import NUMBER, Flag, Rule, flags_of
from treadle.policy.judging.arguments import ArgumentValue
from treadle.policy.shell.syntax import Word

_NUMBER = re.compile(r"-\d+")
# Two letters of an option may stand for all of it.
_SHORTEST = len("--xx")
# Options that take a file of settings or code, for which some tools take a dash as their input.
_SETTINGS = re.compile(
    r"-[cfCp]|--?(?:[\w-]*-)?(?:config|conf|cfg|rcfile|settings|ini|file|script|project)"
    r"(?:-?(?:file|path))?",
    re.IGNORECASE,
)
# What options of these kinds are given is judged more strictly where they are not known.
_HARMLESS = frozenset({"text", "write", "report"})
_OF_REVISIONS = frozenset({"git-revision", "git-reset", "git-revert"})
# What says by its name that a tool writes there, which may be in /tmp, too.
_OUTPUT = re.compile(
    r"--(?:[a-z]+-)*out(?:put)?(?:-?(?:file|dir|directory|path|json|xml|html))?(?:\.[a-z]+)?",
    re.IGNORECASE,
)
# Letters that are switches of most tools: quiet, verbose, stop at the first, watch.
_QUIET = frozenset("qvxslwub")
_YES_OR_NO = frozenset({"true", "false", "1", "0"})


class OptionReader:
    """Goes through the words once, by one rule."""

    def __init__(self, rule: Rule, words: tuple[Word, ...], full_name: str) -> None:
        self.rule = rule
        self.words = words
        self.full_name = full_name
        self.flags = flags_of(rule.flags, rule.style)
        self.at = 0
        self.switches: list[str] = []
        self.values: list[ArgumentValue] = []
        self.operands: list[Word] = []
        self.rest: tuple[Word, ...] = ()
        self.problem = ""

    def read(self) -> None:
        if self.rule.hands_on and not self.rule.operands.startswith("script "):
            # The first operand is the script's name.
            self._operands_only()
        while self.at < len(self.words) and not self.problem:
            word = self.words[self.at]
            self.at += 1
            if word.text == "--" and word.plain:
                self._operands_only()
            elif word.text.startswith("-") and word.text != "-":
                self._option(word)
            else:
                self._operand(word)

    def _operands_only(self) -> None:
        if self.rule.wraps >= 0 and len(self.operands) >= self.rule.wraps:
            self.rest = self.words[self.at :]
        else:
            self.operands += self.words[self.at :]
        self.at = len(self.words)

    def _operand(self, word: Word) -> None:
        wraps = self.rule.wraps
        if wraps >= 0 and len(self.operands) == wraps:
            self.rest, self.at = self.words[self.at - 1 :], len(self.words)
            return
        if not self.rule.free and _splits(word):
            self.problem = _several(word)
        elif not self.rule.free and _unknowable_start(word, self.rule):
            self.problem = f"what {word.text} becomes is known only at run time"
        self.operands.append(word)
        if self.rule.hands_on:
            self._operands_only()
        elif self.rule.subs or (self.rule.stops and wraps < 0):
            self.rest, self.at = self.words[self.at :], len(self.words)

    def _option(self, word: Word) -> None:
        text = word.text
        if _splits(word) and not self.rule.free:
            self.problem = _several(word)
            return
        if NUMBER in self.flags and _NUMBER.fullmatch(text) and word.plain:
            self.switches.append(text)
        elif self.rule.free:
            self._free(word)
        elif self.rule.style == "gnu" and not text.startswith("--") and text not in self.flags:
            self._letters(word)
        else:
            self._read_long_option(word)

    def _free(self, word: Word) -> None:
        """Options of a rule that takes any word: those it knows, and else it is text."""
        if word.text in self.flags and self.flags[word.text].kinds:
            self._take(word.text, self.flags[word.text])
        else:
            self.operands.append(word)

    def _read_long_option(self, word: Word) -> None:
        name, equals, value = word.text.partition("=")
        if self.rule.style == "single" and name.startswith("--"):
            name = name[1:]
        flag = self.flags.get(name)
        if flag is None:
            self._unknown(word, name)
        elif equals and (flag.kinds or (self.rule.style == "single" and value in _YES_OR_NO)):
            self._attached(name, flag, word, value)
        elif equals:
            self.problem = f"the option {name} takes no value"
        elif flag.optional or not flag.kinds:
            self.switches.append(name)
        else:
            self._take(name, flag)

    def _unknown(self, word: Word, name: str) -> None:
        start = self.flags.get(name[:2], Flag())
        if self.rule.style == "open" and start.kinds and not name.startswith("--"):
            self._within_letters(name[:2], start, word, word.text[2:])
            return
        if self.rule.style != "open" or self._never(name):
            self.problem = f"the option {name} is not allowed"
        elif not word.plain:
            self.problem = f"what {word.text} becomes is known only at run time"
        else:
            _, equals, value = word.text.partition("=")
            if not name.startswith("--"):
                # `-ofile`, and `-o=file`.
                value = word.text[2:].removeprefix("=")
            elif not equals:
                # `--inject:file`.
                value = name.partition(":")[2]
            given = value or next((word.text for word in self.words[self.at :][:1]), "")
            if given == "-" and _SETTINGS.fullmatch(name.removesuffix("-")):
                self.problem = f"{name} would take settings from its input. Name a file"
            kind = "write" if equals and _OUTPUT.fullmatch(name) else "near"
            self.values.append(ArgumentValue(kind, _without(word, value), name))

    def _never(self, name: str) -> bool:
        """Refused by name, by a beginning of it, or as part of something larger: `--a.name`."""
        refused = self.rule.never.split()
        if _folded(name.rpartition(".")[2]) in map(_folded, refused) or self._clustered(name):
            return True
        if name in refused or _short(name, refused) or f"--{name.rpartition('.')[2]}" in refused:
            return True
        if len(name) < _SHORTEST or not name.startswith("--") or name in WHOLE:
            return False
        bringing = (
            each for each, flag in self.flags.items() if not _HARMLESS.issuperset(flag.kinds)
        )
        return any(each.startswith(name) for each in (*refused, *bringing))

    def _clustered(self, name: str) -> bool:
        """`-qp`: a letter that brings in code, after some that take no value."""
        if name.startswith("--"):
            return False
        for before, letter in pairwise(name[1:]):
            if before not in _QUIET or f"-{before}" in self.flags:
                return False
            flag = self.flags.get(f"-{letter}")
            if f"-{letter}" in self.rule.never.split():
                return True
            if flag is not None and not _HARMLESS.issuperset(flag.kinds):
                return True
        return False

    def _attached(self, name: str, flag: Flag, word: Word, value: str) -> None:
        self.switches.append(name)
        if flag.kinds:
            self.values.append(ArgumentValue(flag.kinds[0], _without(word, value), name))
        for kind in flag.kinds[1:]:
            self._next(name, kind)

    def _letters(self, word: Word) -> None:
        letters = word.text[1:]
        if not word.plain and not _only_value_unknown(word, self.flags):
            self.problem = f"what {word.text} becomes is known only at run time"
            return
        while letters and not self.problem:
            name, letters = f"-{letters[0]}", letters[1:]
            flag = self.flags.get(name)
            if flag is None:
                self.problem = f"the option {name} is not allowed"
            elif flag.kinds and (letters or flag.optional):
                self._within_letters(name, flag, word, letters)
                letters = ""
            elif flag.kinds:
                self._take(name, flag)
            else:
                self.switches.append(name)

    def _within_letters(self, name: str, flag: Flag, word: Word, value: str) -> None:
        """`-n5`: the value stands in the same word."""
        self.switches.append(name)
        if value:
            known = _without(word, value.removeprefix("="))
            self.values.append(ArgumentValue(flag.kinds[0], known, name))
        if flag.last:
            self.rest, self.at = self.words[self.at :], len(self.words)

    def _take(self, name: str, flag: Flag) -> None:
        self.switches.append(name)
        for kind in flag.kinds:
            self._next(name, kind)
        if flag.last:
            self.rest, self.at = self.words[self.at :], len(self.words)

    def _next(self, name: str, kind: str) -> None:
        if self.at >= len(self.words):
            self.problem = f"the option {name} needs a value"
            return
        word = self.words[self.at]
        self.at += 1
        if _splits(word) and not self.rule.free:
            self.problem = _several(word)
        self.values.append(ArgumentValue(kind, word, name))


def _several(word: Word) -> str:
    """In quotes, what a command prints would be one word: seldom what was meant."""
    is_printed = "$(" in word.text or "`" in word.text
    advice = "write them out" if is_printed else "put it in quotes"
    return f"{word.text} may become several words: {advice}"


def _folded(name: str) -> str:
    """Some tools take `--globalSetup` and `--global-setup` for the same."""
    return name.replace("-", "").casefold() if len(name) > len("--x") else name


def _without(word: Word, text: str) -> Word:
    return Word(text, word.expands, word.variables, word.substitutes, word.quoted, word.objects)


def _splits(word: Word) -> bool:
    """Not in quotes, so what it becomes is split at blanks: any number of words, options too."""
    return word.expands and bool(word.variables or word.substitutes)


def _unknowable_start(word: Word, rule: Rule) -> bool:
    """Whether the word may turn out to be an option."""
    if word.plain or word.text[:1] not in "$`" or not (word.variables or word.substitutes):
        return False
    return not (word.objects and ("revision" in rule.operands or rule.check in _OF_REVISIONS))


def _only_value_unknown(word: Word, flags: Mapping[str, Flag]) -> bool:
    """`-m$X`: the letter is known, and all that is not belongs to its value."""
    return bool(flags.get(word.text[:2], Flag()).kinds)


def _short(name: str, never: list[str]) -> bool:
    """`-rx` given, `-r` refused."""
    return not name.startswith("--") and name[:2] in never
