"""Decides about a command by the table of its options, and finds what it runs in turn. Pure."""

import re
from dataclasses import dataclass, replace

from treadle.policy.commands.rule_syntax import Rule
from treadle.policy.judging.argument_reader import read_arguments
from treadle.policy.judging.arguments import ArgumentMismatch, Arguments, ArgumentValue
from treadle.policy.judging.command_checks import CHECKS
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.variable_checks import assignment_refusal
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.judging.wrapped_commands import split_executed, unwrap
from treadle.policy.shell.syntax import ShellCommand


@dataclass(frozen=True, slots=True)
class TableVerdict:
    """The name with its sub-commands, why it is refused, and the commands that it would run."""

    full_name: str
    refusal: str = ""
    inner: tuple[ShellCommand, ...] = ()


def decide_by_table(
    rule: Rule, name: str, command: ShellCommand, location: CommandLocation
) -> TableVerdict:
    if rule.mode == "destructive" and not location.context.destructive:
        return TableVerdict(name, f"`{name}` is not allowed. {rule.instead}")
    executed = split_executed(name, command)
    if isinstance(executed, str):
        return TableVerdict(name, f"`{name}`: {executed}. {rule.instead}")
    command, inner = executed
    arguments = read_arguments(rule, command.arguments, name)
    if isinstance(arguments, ArgumentMismatch):
        return TableVerdict(arguments.full_name, _explain(arguments, arguments.reason))
    fed, assigns = _has_input(command), bool(command.assignments)
    arguments = replace(arguments, fed=fed, assigns=assigns)
    reason = _refusal(arguments, location)
    if reason is not None:
        return TableVerdict(arguments.full_name, _explain(arguments, reason))
    if arguments.rule.wraps < 0:
        return TableVerdict(arguments.full_name, inner=inner)
    return _decide_wrapped(command, arguments, location)


def _decide_wrapped(
    command: ShellCommand, arguments: Arguments, location: CommandLocation
) -> TableVerdict:
    inner = unwrap(command, arguments)
    if inner is None:
        return TableVerdict(
            arguments.full_name, _explain(arguments, "what it is to run is missing")
        )
    for assigned in inner.assignments[len(command.assignments) :]:
        reason = assignment_refusal(assigned, inner, location)
        if reason is not None:
            return TableVerdict(arguments.full_name, _explain(arguments, reason))
    return TableVerdict(arguments.full_name, inner=(inner,))


def _refusal(arguments: Arguments, location: CommandLocation) -> str | None:
    rule = arguments.rule
    where = _apply_directory_options(arguments, location)
    return (
        _mode_refusal(arguments, location)
        or _text_refusal(rule, arguments)
        or _value_refusal(arguments, location, where)
        or (CHECKS[rule.check](arguments, where) if rule.check else None)
        or _input_refusal(rule, arguments)
    )


def _text_refusal(rule: Rule, arguments: Arguments) -> str | None:
    if rule.one_of and not arguments.has(*rule.one_of.split()):
        return f"one of these is missing: {rule.one_of}"
    if not rule.never_text:
        return None
    words = (word.text for word in arguments.operands if re.search(rule.never_text, word.text))
    found = next(words, None)
    return None if found is None else f"{found} is not allowed here"


def _apply_directory_options(arguments: Arguments, location: CommandLocation) -> CommandLocation:
    for value in arguments.values:
        if value.kind == "chdir" and value.word.plain:
            location = location.after_cd(value.word.text)
    return location


def _mode_refusal(arguments: Arguments, location: CommandLocation) -> str | None:
    rule = arguments.rule
    if rule.mode != "read" and location.context.roles == "read":
        return "in this role you read and report, and change nothing"
    destroys = rule.mode == "destructive" or any(
        flag == each or (flag.startswith("--") and each.startswith(flag))
        for flag in arguments.switches
        for each in rule.destroys.split()
    )
    if destroys and not location.context.destructive:
        return "it removes or overwrites work, which this run does not allow"
    return None


def _value_refusal(
    arguments: Arguments, location: CommandLocation, where: CommandLocation
) -> str | None:
    for value in arguments.values:
        # Other paths are relative to such a folder, so it is checked from the original location.
        at = location if value.kind == "chdir" else where
        reason = KINDS[value.kind](value.word, at)
        if reason is not None:
            return _prefix_flag(value, reason)
    return None


def _prefix_flag(value: ArgumentValue, reason: str) -> str:
    return f"{value.flag}: {reason}" if value.flag else reason


def _input_refusal(rule: Rule, arguments: Arguments) -> str | None:
    named = any(word.text not in ("-", "/dev/stdin") for word in arguments.operands)
    if not rule.stdin or named or arguments.fed:
        return None
    return "it would wait for input that nobody sends"


def _has_input(command: ShellCommand) -> bool:
    """A command at the top of a line gets no input unless the line gives it some."""
    is_redirected = any(
        each.kind in ("read", "heredoc", "herestring") for each in command.redirects
    )
    return is_redirected or command.fed or bool(command.scope)


def _explain(parsed: Arguments | ArgumentMismatch, reason: str) -> str:
    return f"`{parsed.full_name}`: {reason.rstrip('.')}. {parsed.instead}"
