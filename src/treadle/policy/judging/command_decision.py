"""Checks one command against the rules: name, words, variables, redirections, gates. Pure."""

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from treadle.policy.commands.catalogue import RuleEntry, rules_by_name
from treadle.policy.commands.rule_syntax import Rule
from treadle.policy.commands.unknown_commands import INSTEAD, NEVER, NOT_KNOWN
from treadle.policy.judging.argument_reader import read_arguments
from treadle.policy.judging.arguments import ArgumentMismatch, Arguments, ArgumentValue
from treadle.policy.judging.braces import expand_words
from treadle.policy.judging.command_checks import CHECKS
from treadle.policy.judging.command_gates import find_command_gate
from treadle.policy.judging.path_kinds import has_expansion
from treadle.policy.judging.paths import OUTSIDE, path_refusal
from treadle.policy.judging.program_lookup import (
    DevScript,
    KnownProgram,
    UnknownProgram,
    identify_program,
)
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.start_directory import start_refusal
from treadle.policy.judging.stdin_programs import stdin_refusal
from treadle.policy.judging.variable_checks import assignment_refusal, expand_variables, use_refusal
from treadle.policy.judging.variable_values import value_refusal
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.judging.wrapped_commands import unwrap, wraps_command
from treadle.policy.profiles import active_profiles
from treadle.policy.shell.syntax import ParsedLine, Redirect, ShellCommand, Word

DEEPEST = 4
_MOVES = frozenset({"chdir", "may-chdir"})
# Options that name a path: their tools may expand `~` and variables in it.
_PLACED = _MOVES | {"read", "run", "write", "near", "report", "folders", "code", "program"}


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """The answer of one rule for one part of a line."""

    decision: Literal["allow", "ask", "deny"]
    reason: str
    rule: str


def check_command(
    command: ShellCommand, script: ParsedLine, location: CommandLocation
) -> list[RuleFinding]:
    """All findings for a command; one deny denies the line."""
    findings = [
        *_check_variables(command, script, location),
        *(found for each in command.redirects for found in _check_redirect(each, location)),
    ]
    if not command.words:
        return findings or [RuleFinding("allow", "", "assignment")]
    read_as = expand_variables(command, script, location)
    if read_as is None:
        return [RuleFinding("deny", "Too many values to look at. Write fewer.", "variable")]
    for each in read_as:
        words = expand_words(each.words)
        if isinstance(words, Word):
            reason = f"{words.text} is a list in braces that is not plain. Write the words out"
            return [_deny(reason, "braces")]
        spelled = each if words is each.words else replace(each, words=words)
        findings += _check_words(spelled, location, 0)
    return findings


def _check_variables(
    command: ShellCommand, script: ParsedLine, location: CommandLocation
) -> list[RuleFinding]:
    reasons = [
        assignment_refusal(given, command, location) or value_refusal(given, location)
        for given in command.assignments
    ]
    reasons.append(use_refusal(command, script))
    return [_deny(reason, "variable") for reason in reasons if reason]


def _check_redirect(redirect: Redirect, location: CommandLocation) -> list[RuleFinding]:
    match redirect.kind:
        case "read":
            reason = path_refusal(redirect.target, "read", location)
        case "write" | "append" | "both":
            reason = path_refusal(redirect.target, "write", location)
            if reason is None and location.context.roles == "read":
                reason = _scratch_only(redirect, location)
        case "duplicate" | "heredoc" | "herestring":
            reason = None
        case _:
            assert_never(redirect.kind)
    return [_deny(f"the redirection: {reason}", "redirection")] if reason else []


def _scratch_only(redirect: Redirect, location: CommandLocation) -> str | None:
    if redirect.target.text.startswith(("/dev/", "/tmp/")):  # noqa: S108 - the sandbox's own
        return None
    return "in this role you change nothing. Print it, or write to /tmp"


def _check_words(
    command: ShellCommand, location: CommandLocation, depth: int, opened: tuple[str, ...] = ()
) -> list[RuleFinding]:
    """The words of a command whose variables are put in; wrapped ones come back here."""
    if depth > DEEPEST:
        return [_deny("commands are wrapped more than four deep. Run the inner one", "wrapper")]
    name = command.words[0]
    gate = find_command_gate(command, location.context.ask_before)
    gated = [RuleFinding("ask", f"A person must agree: {gate.reason}", gate.name)] if gate else []
    if name.plain and name.text in location.context.allow_commands and name.text not in NEVER:
        return gated or [RuleFinding("allow", "", f"allowed by settings: {name.text}")]
    who = identify_program(name, location)
    match who:
        case UnknownProgram():
            return [_deny(who.reason, "program")]
        case DevScript():
            return [*gated, *_check_dev_script(command, who, location)]
        case KnownProgram():
            entry = _find_rule(who, location, opened)
            return [*gated, *_check_program(command, who, entry, location, depth)]
        case _:
            assert_never(who)


def _check_dev_script(
    command: ShellCommand, script: DevScript, location: CommandLocation
) -> list[RuleFinding]:
    if command.arguments:
        reason = f"`{script.path}` is not given arguments here. Run it by itself"
        return [_deny(reason, "dev-script")]
    return [RuleFinding("allow", "", "dev-script")]


def _check_program(
    command: ShellCommand,
    who: KnownProgram,
    entry: RuleEntry | None,
    location: CommandLocation,
    depth: int,
) -> list[RuleFinding]:
    name = who.name
    if entry is None:
        # A command that a gate names needs no rule: a person decides about it.
        gated = find_command_gate(command, location.context.ask_before) is not None
        known = gated and name not in NEVER and name not in rules_by_name()
        return [] if known else [_deny_unknown(name)]
    if entry.rule.mode == "destructive" and not location.context.destructive:
        return [_deny(f"`{name}` is not allowed. {entry.rule.instead}", name)]
    arguments = read_arguments(entry.rule, command.arguments)
    if isinstance(arguments, ArgumentMismatch):
        return [_deny(_explain(arguments, arguments.reason), arguments.full_name)]
    fed, assigns = _has_input(command), bool(command.assignments)
    if fed or assigns:
        arguments = arguments.with_line_context(fed=fed, assigns=assigns)
    reason = stdin_refusal(command, arguments, location) or start_refusal(
        arguments, entry.family, location
    )
    if reason is not None:
        return [_deny(_explain(arguments, reason), arguments.full_name)]
    return _check_arguments(command, arguments, location, depth)


def _find_rule(
    who: KnownProgram, location: CommandLocation, opened: tuple[str, ...]
) -> RuleEntry | None:
    """The rule of the first family that is active, and that the program's folder belongs to.

    A package runner opens its own families: what it runs is installed in the project.
    """
    families = ("base", *active_profiles(location.context.profiles), *opened)
    for entry in rules_by_name().get(who.name, ()):
        if entry.family in families and (not who.families or entry.family in who.families):
            return entry
    return None


def _deny_unknown(name: str) -> RuleFinding:
    entries = rules_by_name().get(name, ())
    if entries:
        families = " or ".join(dict.fromkeys(entry.family for entry in entries))
        reason = f"`{name}` belongs to the profile {families}, which is not active here"
        return _deny(f"{reason}. Use the tools of this project's own languages", "profile")
    return _deny(f"`{name}` is not allowed. {INSTEAD.get(name, NOT_KNOWN)}", "unknown-command")


def _check_arguments(
    command: ShellCommand, arguments: Arguments, location: CommandLocation, depth: int
) -> list[RuleFinding]:
    rule = arguments.rule
    where = _apply_directory_options(arguments, location)
    reason = (
        _mode_refusal(rule, location)
        or _value_refusal(arguments, location, where)
        or (CHECKS[rule.check](arguments, where) if rule.check else None)
        or _input_refusal(rule, arguments)
    )
    if reason is not None:
        return [_deny(_explain(arguments, reason), arguments.full_name)]
    if not wraps_command(command, arguments):
        return [RuleFinding("allow", "", arguments.full_name)]
    return _check_wrapped(command, arguments, where, depth)


def _apply_directory_options(arguments: Arguments, location: CommandLocation) -> CommandLocation:
    for value in arguments.values:
        if value.kind in _MOVES and value.word.plain:
            moved = location.after_cd(value.word.text)
            location = moved if value.kind == "chdir" else location.merged_with(moved)
    return location


def _mode_refusal(rule: Rule, location: CommandLocation) -> str | None:
    if rule.mode != "read" and location.context.roles == "read":
        return "in this role you read and report, and change nothing"
    if rule.mode == "destructive" and not location.context.destructive:
        return "it removes or overwrites work, which this run does not allow"
    return None


def _value_refusal(
    arguments: Arguments, location: CommandLocation, where: CommandLocation
) -> str | None:
    for value in arguments.values:
        if value.flag and value.kind in _PLACED and has_expansion(value.word.text):
            return _prefix_flag(value, OUTSIDE.format(path=value.word.text))
        # Other paths are relative to such a folder, so it is checked from the original location.
        at = location if value.kind in _MOVES else where
        reason = KINDS[value.kind](value.word, at)
        if reason is not None:
            return _prefix_flag(value, reason)
    return None


def _prefix_flag(value: ArgumentValue, reason: str) -> str:
    return f"{value.flag}: {reason}" if value.flag else reason


def _input_refusal(rule: Rule, arguments: Arguments) -> str | None:
    if not rule.stdin or arguments.names_operand or arguments.fed:
        return None
    return "it would wait for input that nobody sends"


def _has_input(command: ShellCommand) -> bool:
    """A command at the top of a line gets no input unless the line gives it some."""
    is_redirected = any(
        each.kind in ("read", "heredoc", "herestring") for each in command.redirects
    )
    return is_redirected or command.fed or bool(command.scope)


def _check_wrapped(
    command: ShellCommand, arguments: Arguments, location: CommandLocation, depth: int
) -> list[RuleFinding]:
    rule, instead, full_name = arguments.rule, arguments.instead, arguments.full_name
    inner = unwrap(command, arguments, location)
    if inner is None:
        return [
            _deny(f"`{full_name}`: what it is to run is missing or not known. {instead}", full_name)
        ]
    for assigned in inner.assignments[len(command.assignments) :]:
        reason = assignment_refusal(assigned, inner, location) or value_refusal(assigned, location)
        if reason is not None:
            return [_deny(reason, "variable")]
    if rule.inner and not _is_in_families(inner, rule.inner):
        name = inner.words[0].text
        return [_deny(f"`{full_name}` does not run {name}. {instead}", full_name)]
    return _check_words(inner, location, depth + 1, rule.inner)


def _is_in_families(command: ShellCommand, families: tuple[str, ...]) -> bool:
    entries = rules_by_name().get(command.words[0].text, ())
    return any(entry.family in families for entry in entries)


def _explain(parsed: Arguments | ArgumentMismatch, reason: str) -> str:
    return f"`{parsed.full_name}`: {reason.rstrip('.')}. {parsed.instead}"


def _deny(reason: str, rule: str) -> RuleFinding:
    text = reason.strip().rstrip(".")
    return RuleFinding("deny", f"{text[:1].upper()}{text[1:]}.", rule)
