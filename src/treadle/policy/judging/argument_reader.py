"""Parses a command's arguments by its rule, down to the innermost sub-command. Pure."""

from dataclasses import replace

from treadle.policy.commands.rule_syntax import Operands, Rule, operands_of
from treadle.policy.judging.arguments import ArgumentMismatch, Arguments, ArgumentValue
from treadle.policy.judging.option_reader import OptionReader
from treadle.policy.shell.syntax import Word

_HOW = frozenset({"--help", "--version"})
_TELLS = frozenset({"--version", "-v", "-V", "--help", "-h", "--list"})


def read_arguments(
    rule: Rule, words: tuple[Word, ...], full_name: str = ""
) -> Arguments | ArgumentMismatch:
    """Parse the words after a command's name. Options may be anywhere before `--`."""
    full_name = full_name or rule.name
    if _asks_for_help(rule, words, full_name):
        help_rule = replace(rule, check="", mode="read", stdin=False, wraps=-1)
        return Arguments(help_rule, rule.instead, full_name, (words[0].text,), (), ())
    reader = OptionReader(rule, words, full_name)
    reader.read()
    if reader.problem:
        return ArgumentMismatch(reader.problem, rule.instead, full_name)
    if rule.subs:
        return _sub_command(reader)
    return _finish_arguments(reader)


def _asks_for_help(rule: Rule, words: tuple[Word, ...], full_name: str) -> bool:
    """Whether the command only prints its help. Git would open a pager."""
    if len(words) != 1 or words[0].text not in _HOW or not words[0].plain:
        return False
    return rule.style != "open" and not rule.free and not full_name.startswith("git ")


def _sub_command(reader: OptionReader) -> Arguments | ArgumentMismatch:
    rule, full_name = reader.rule, reader.full_name
    if not reader.operands:
        if rule.bare or _TELLS & set(reader.switches):
            return _arguments(reader, ())
        return ArgumentMismatch("a sub-command is missing", rule.instead, full_name)
    name = reader.operands[0]
    found = next((sub for sub in rule.subs if sub.name == name.text and name.plain), None)
    if found is None:
        found = next((sub for sub in rule.subs if sub.name == "*"), None)
        if found is None or not name.plain:
            return ArgumentMismatch(
                f"{name.text} is not an allowed sub-command", rule.instead, full_name
            )
        inner = read_arguments(found, (name, *reader.rest), full_name)
    else:
        inner = read_arguments(found, reader.rest, f"{full_name} {name.text}")
    instead = inner.instead or rule.instead
    if isinstance(inner, ArgumentMismatch):
        return ArgumentMismatch(inner.reason, instead, inner.full_name)
    return Arguments(
        inner.rule,
        instead,
        inner.full_name,
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
            f"{operands[-1].text} is one argument too many", rule.instead, reader.full_name
        )
    if len(operands) < rule.needs - _has_target(reader):
        return ArgumentMismatch("an argument is missing", rule.instead, reader.full_name)
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
        reader.full_name,
        tuple(reader.switches),
        (*reader.values, *operands),
        tuple(reader.operands),
        reader.rest,
    )
