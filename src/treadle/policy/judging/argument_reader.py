"""Parses a command's arguments by its rule, down to the innermost sub-command. Pure."""

from dataclasses import replace

from treadle.policy.commands.rule_syntax import Operands, Rule, operands_of
from treadle.policy.judging.arguments import ArgumentMismatch, Arguments, ArgumentValue
from treadle.policy.judging.option_reader import OptionReader
from treadle.policy.shell.syntax import Word

_HOW = frozenset({"--help", "--version"})
_TELLS = frozenset({"--version", "-v", "-V", "--help", "-h", "--list"})


def read_arguments(
    rule: Rule, words: tuple[Word, ...], spoken: str = ""
) -> Arguments | ArgumentMismatch:
    """The words after a command's name. Options may stand anywhere before `--`."""
    spoken = spoken or rule.name
    if _asks_for_help(rule, words, spoken):
        told = replace(rule, check="", mode="read", stdin=False, wraps=-1)
        return Arguments(told, rule.instead, spoken, (words[0].text,), (), ())
    reader = OptionReader(rule, words, spoken)
    reader.read()
    if reader.problem:
        return ArgumentMismatch(reader.problem, rule.instead, spoken)
    if rule.subs:
        return _sub_command(reader)
    return _finish_arguments(reader)


def _asks_for_help(rule: Rule, words: tuple[Word, ...], spoken: str) -> bool:
    """Whether it is asked how it is used, and nothing else. Git would open a page for a person."""
    if len(words) != 1 or words[0].text not in _HOW or not words[0].plain:
        return False
    return rule.style != "open" and not rule.free and not spoken.startswith("git ")


def _sub_command(reader: OptionReader) -> Arguments | ArgumentMismatch:
    rule, spoken = reader.rule, reader.spoken
    if not reader.operands:
        if rule.bare or _TELLS & set(reader.switches):
            return _arguments(reader, ())
        return ArgumentMismatch("a sub-command is missing", rule.instead, spoken)
    name = reader.operands[0]
    found = next((sub for sub in rule.subs if sub.name == name.text and name.plain), None)
    if found is None:
        found = next((sub for sub in rule.subs if sub.name == "*"), None)
        if found is None or not name.plain:
            return ArgumentMismatch(
                f"{name.text} is not an allowed sub-command", rule.instead, spoken
            )
        inner = read_arguments(found, (name, *reader.rest), spoken)
    else:
        inner = read_arguments(found, reader.rest, f"{spoken} {name.text}")
    instead = inner.instead or rule.instead
    if isinstance(inner, ArgumentMismatch):
        return ArgumentMismatch(inner.reason, instead, inner.spoken)
    return Arguments(
        inner.rule,
        instead,
        inner.spoken,
        (*reader.switches, *inner.switches),
        (*reader.values, *inner.values),
        inner.operands,
        inner.rest,
    )


def _finish_arguments(reader: OptionReader) -> Arguments | ArgumentMismatch:
    rule, operands = reader.rule, reader.operands
    if rule.style == "open":
        kinds: tuple[str, ...] | None = tuple("near" for _ in operands)
    elif rule.free:
        kinds = tuple("free" for _ in operands)
    else:
        kinds = _operands(reader).kinds(len(operands))
    if kinds is None:
        return ArgumentMismatch(
            f"{operands[-1].text} is one argument too many", rule.instead, reader.spoken
        )
    if len(operands) < rule.needs - _has_target(reader):
        return ArgumentMismatch("an argument is missing", rule.instead, reader.spoken)
    values = tuple(ArgumentValue(kind, word) for kind, word in zip(kinds, operands, strict=True))
    return _arguments(reader, values)


def _operands(reader: OptionReader) -> Operands:
    """The kinds by position: the last one is gone if an option names it."""
    found = operands_of(reader.rule.operands)
    return replace(found, last=()) if _has_target(reader) else found


def _has_target(reader: OptionReader) -> bool:
    return any(value.kind == "into" for value in reader.values)


def _arguments(reader: OptionReader, operands: tuple[ArgumentValue, ...]) -> Arguments:
    return Arguments(
        reader.rule,
        reader.rule.instead,
        reader.spoken,
        tuple(reader.switches),
        (*reader.values, *operands),
        tuple(reader.operands),
        reader.rest,
    )
