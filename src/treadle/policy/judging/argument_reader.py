"""Splits a command's words into options, values and operands, down to the sub-command. Pure."""

from dataclasses import replace

from treadle.policy.commands.rule_syntax import Option, Rule, names, operands_of, options_of
from treadle.policy.judging.arguments import ArgumentMismatch, Arguments, ArgumentValue
from treadle.policy.shell.syntax import Word

_TELLS = frozenset({"--help", "--version"})


class _OptionReader:
    """Goes through the words once, by one rule. Options may be anywhere before `--`."""

    def __init__(self, rule: Rule, words: tuple[Word, ...]) -> None:
        self.rule = rule
        self.words = words
        self.options = options_of(rule.options)
        self.never = names(rule.never)
        self.at = 0
        self.switches: list[str] = []
        self.values: list[ArgumentValue] = []
        self.operands: list[Word] = []
        self.rest: tuple[Word, ...] = ()
        self.problem = ""

    def read(self) -> None:
        while self.at < len(self.words) and not self.problem:
            word = self.words[self.at]
            self.at += 1
            if not self.rule.free and _splits(word):
                self.problem = _several(word)
            elif word.text == "--" and word.plain:
                self._read_operands_only()
            elif word.text.startswith("-") and word.text != "-" and not self.rule.free:
                self._read_option(word)
            else:
                self._read_operand(word)

    def _read_operands_only(self) -> None:
        if self.rule.wraps >= 0 and len(self.operands) >= self.rule.wraps:
            self.rest = self.words[self.at :]
        else:
            self.operands += self.words[self.at :]
        self.at = len(self.words)

    def _read_operand(self, word: Word) -> None:
        if len(self.operands) == self.rule.wraps:
            self.rest, self.at = self.words[self.at - 1 :], len(self.words)
            return
        made = word.variables or word.substitutes
        if not self.rule.free and made and word.text[:1] in "$`":
            # It may turn out to be an option.
            self.problem = f"what {word.text} becomes is known only at run time"
        self.operands.append(word)
        if self.rule.subs:
            self.rest, self.at = self.words[self.at :], len(self.words)

    def _read_option(self, word: Word) -> None:
        if self.rule.style == "gnu" and not word.text.startswith("--"):
            self._read_letters(word)
            return
        name, equals, value = word.text.partition("=")
        if self.rule.style == "single" and name.startswith("--"):
            name = name[1:]
        option = self._add_switch(name)
        name = self.switches[-1]
        if equals:
            kind = option.kinds[0] if option else "read"
            self.values.append(ArgumentValue(kind, replace(word, text=value), name))
        elif option and not option.attached:
            self._take(name, option)

    def _read_letters(self, word: Word) -> None:
        """`-abc`, and `-n5` where the letter has a value."""
        if not word.plain and word.text[:2] not in self.options:
            self.problem = f"what {word.text} becomes is known only at run time"
        letters = word.text[1:]
        while letters and not self.problem:
            name, letters = f"-{letters[0]}", letters[1:]
            option = self._add_switch(name)
            if option is None:
                continue
            if letters:
                value = replace(word, text=letters.removeprefix("="))
                self.values.append(ArgumentValue(option.kinds[0], value, name))
            elif not option.attached:
                self._take(name, option)
            return

    def _add_switch(self, name: str) -> Option | None:
        long = name.startswith("--") and self.rule.style == "gnu"
        if name in self.never or (long and any(each.startswith(name) for each in self.never)):
            self.problem = f"the option {name} is not allowed"
        if long and name not in self.options:
            # As the program itself does, for the beginning of one that it knows.
            name = next((each for each in self.options if each.startswith(name)), name)
        self.switches.append(name)
        return self.options.get(name)

    def _take(self, name: str, option: Option) -> None:
        for kind in option.kinds:
            if self.at >= len(self.words):
                self.problem = self.problem or f"the option {name} needs a value"
                return
            word = self.words[self.at]
            self.at += 1
            if _splits(word):
                self.problem = _several(word)
            self.values.append(ArgumentValue(kind, word, name))


def _several(word: Word) -> str:
    """In quotes, what a command prints would be one word: seldom what was meant."""
    is_printed = "$(" in word.text or "`" in word.text
    advice = "write them out" if is_printed else "put it in quotes"
    return f"{word.text} may become several words: {advice}"


def _splits(word: Word) -> bool:
    """Not in quotes, so what it becomes is split at blanks: any number of words, options too."""
    return word.expands and bool(word.variables or word.substitutes)


def read_arguments(
    rule: Rule, words: tuple[Word, ...], full_name: str
) -> Arguments | ArgumentMismatch:
    """The words after a command's name, by its rule."""
    if len(words) == 1 and words[0].plain and words[0].text in _TELLS and "git " not in full_name:
        told = Rule(rule.names)
        return Arguments(told, rule.instead, full_name, (words[0].text,), (), ())
    reader = _OptionReader(rule, words)
    reader.read()
    if reader.problem:
        return ArgumentMismatch(reader.problem, rule.instead, full_name)
    return _read_sub_command(reader, full_name) if rule.subs else _finish(reader, full_name)


def _read_sub_command(reader: _OptionReader, full_name: str) -> Arguments | ArgumentMismatch:
    rule = reader.rule
    if not reader.operands:
        if rule.bare:
            return _arguments(reader, full_name, ())
        return ArgumentMismatch("a sub-command is missing", rule.instead, full_name)
    name = reader.operands[0]
    found = next((sub for sub in rule.subs if name.text in sub.names.split()), None)
    if found is None or not name.plain:
        reason = f"{name.text} is not an allowed sub-command"
        return ArgumentMismatch(reason, rule.instead, full_name)
    inner = read_arguments(found, reader.rest, f"{full_name} {name.text}")
    inner = replace(inner, instead=inner.instead or rule.instead)
    if isinstance(inner, ArgumentMismatch):
        return inner
    return replace(
        inner,
        switches=(*reader.switches, *inner.switches),
        values=(*reader.values, *inner.values),
    )


def _finish(reader: _OptionReader, full_name: str) -> Arguments | ArgumentMismatch:
    rule, words = reader.rule, reader.operands
    if rule.free:
        return _arguments(reader, full_name, tuple(ArgumentValue("text", word) for word in words))
    # The last kind is gone if an option names it.
    has_target = any(value.kind == "into" for value in reader.values)
    known = operands_of(rule.operands)
    kinds = (replace(known, last=()) if has_target else known).kinds(len(words))
    if kinds is None:
        reason = f"{words[-1].text} is one argument too many"
        return ArgumentMismatch(reason, rule.instead, full_name)
    if len(words) < rule.needs - has_target:
        return ArgumentMismatch("an argument is missing", rule.instead, full_name)
    values = tuple(ArgumentValue(kind, word) for kind, word in zip(kinds, words, strict=True))
    return _arguments(reader, full_name, values)


def _arguments(
    reader: _OptionReader, full_name: str, operands: tuple[ArgumentValue, ...]
) -> Arguments:
    return Arguments(
        reader.rule,
        reader.rule.instead,
        full_name,
        tuple(reader.switches),
        (*reader.values, *operands),
        tuple(reader.operands),
        reader.rest,
    )
