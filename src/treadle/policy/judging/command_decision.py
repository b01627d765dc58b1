"""Checks one command against the rules: name, words, variables, redirections, gates. Pure."""

import re
from dataclasses import dataclass, replace
from posixpath import basename
from typing import Literal, assert_never

from treadle.policy.commands.catalogue import ALWAYS, RuleEntry, rules_by_name, system_names
from treadle.policy.commands.project_tools import OWN_PROGRAM
from treadle.policy.commands.rule_syntax import (
    InterpreterRow,
    PackageRow,
    Rule,
    ToolRow,
    names,
)
from treadle.policy.commands.unknown_commands import INSTEAD, NEVER, NOT_KNOWN, REMOVES
from treadle.policy.judging.braces import expand_words
from treadle.policy.judging.command_gates import find_command_gate, script_topic
from treadle.policy.judging.databases import find_database
from treadle.policy.judging.near_words import near_refusal
from treadle.policy.judging.paths import PATTERN, has_pattern, path_refusal
from treadle.policy.judging.program_lookup import (
    KnownProgram,
    ProjectProgram,
    UnknownProgram,
    identify_program,
)
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.table_decision import decide_by_table
from treadle.policy.judging.tool_decision import decide_tool, program_file_refusal
from treadle.policy.judging.tool_verdicts import InnerProgram, Origin, ToolPermission, ToolRefusal
from treadle.policy.judging.variable_checks import assignment_refusal
from treadle.policy.judging.variable_values import expand_variables
from treadle.policy.profiles import active_profiles
from treadle.policy.shell.syntax import ParsedLine, Redirect, ShellCommand, Word

DEEPEST = 4
_CONSOLES = names(
    "manage.py artisan console rails rake prisma knex sequelize typeorm drizzle-kit alembic"
)
# So far behind another tool's name a console is looked for.
_FARTHEST = 8
_PACKAGE = re.compile(r"node_modules/([\w.-]+)/")


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
        *_check_variables(command, location),
        *(
            found
            for each in command.redirects
            for found in _check_redirect(each, command, script, location)
        ),
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


def _check_variables(command: ShellCommand, location: CommandLocation) -> list[RuleFinding]:
    reasons = [assignment_refusal(given, command, location) for given in command.assignments]
    return [_deny(reason, "variable") for reason in reasons if reason]


def _check_redirect(
    redirect: Redirect, command: ShellCommand, script: ParsedLine, location: CommandLocation
) -> list[RuleFinding]:
    if redirect.kind in ("duplicate", "heredoc", "herestring"):
        return []
    named = expand_variables(replace(command, words=(redirect.target,)), script, location)
    targets = [each.words[0] for each in named or ()] or [redirect.target]
    for target in targets:
        reason = _target_refusal(target, redirect.kind, location)
        if reason is not None:
            return [_deny(f"the redirection: {reason}", "redirection")]
    return []


def _target_refusal(target: Word, kind: str, location: CommandLocation) -> str | None:
    if kind == "read":
        return path_refusal(target, "read", location)
    if target.expands and has_pattern(target.text):
        return PATTERN.format(path=target.text)
    reason = path_refusal(target, "write", location)
    if reason is None and location.context.roles == "read":
        return _scratch_only(target)
    return reason


def _scratch_only(target: Word) -> str | None:
    if target.text.startswith(("/dev/", "/tmp/")):  # noqa: S108 - the sandbox's own
        return None
    return "in this role you change nothing. Print it, or write to /tmp"


def _check_words(
    command: ShellCommand, location: CommandLocation, depth: int, origin: Origin = "other"
) -> list[RuleFinding]:
    """The words of a command whose variables are put in; wrapped ones come back here."""
    if depth > DEEPEST:
        return [_deny("commands are wrapped more than four deep. Run the inner one", "wrapper")]
    name = command.words[0]
    gate = find_command_gate(command, location.context.ask_before)
    gated = [RuleFinding("ask", f"A person must agree: {gate.reason}", gate.name)] if gate else []
    if name.plain and name.text in location.context.allow_commands and name.text not in NEVER:
        return gated or [RuleFinding("allow", "", f"allowed by settings: {name.text}")]
    if origin in ("file", "script"):
        gated = gated or _check_behind(command, location)
        reason = program_file_refusal(name, location)
        if reason is not None:
            return [_deny(reason, "program")]
        own = ProjectProgram(basename(name.text))
        return [*gated, *_check_own_program(command, own, location, origin)]
    who = identify_program(name, location)
    match who:
        case UnknownProgram():
            return [_deny(who.reason, "program")]
        case ProjectProgram():
            return [*gated, *_check_own_program(command, who, location, "script")]
        case KnownProgram():
            return [*gated, *_check_known(command, who, location, depth, origin)]
        case _:
            assert_never(who)


def _check_behind(command: ShellCommand, location: CommandLocation) -> list[RuleFinding]:
    """The gate of a console that another tool runs: `coverage run manage.py migrate`."""
    for at, word in enumerate(command.words[:_FARTHEST]):
        for name in _PACKAGE.findall(word.text) or [basename(word.text)]:
            if name in _CONSOLES:
                tail = replace(command, words=(Word(name), *command.words[at + 1 :]))
                gate = find_command_gate(tail, location.context.ask_before)
                if gate is not None:
                    return [RuleFinding("ask", f"A person must agree: {gate.reason}", gate.name)]
    return []


def _check_own_program(
    command: ShellCommand, program: ProjectProgram, location: CommandLocation, origin: Origin
) -> list[RuleFinding]:
    """A file of the project; one that is called like a tool has that tool's row."""
    name = program.name.removesuffix(".exe")
    if origin != "file" and name in system_names():
        return [_deny(f"`{name}` of the project is not the system's. Use its bare name", "program")]
    asked = script_topic(name) if origin == "script" else None
    if asked is not None and (asked != "database" or find_database(command) != "here"):
        reason = "A person must agree: By its name, the script reaches beyond this project."
        return [RuleFinding("ask", reason, "gate-script")]
    rows = [entry.row for entry in rules_by_name().get(name, ())]
    row = next((row for row in rows if isinstance(row, ToolRow)), OWN_PROGRAM)
    return _check_tool(row, name, command, location, 0)


def _check_known(
    command: ShellCommand,
    who: KnownProgram,
    location: CommandLocation,
    depth: int,
    origin: Origin,
) -> list[RuleFinding]:
    name = who.name
    entry = _find_rule(who, location, opened=origin != "other")
    if who.families and name in system_names():
        return [_deny(f"`{name}` of the project is not the system's. Use its bare name", "program")]
    closed = who.families and not set(who.families) & set(
        active_profiles(location.context.profiles)
    )
    if closed and origin == "other":
        return [_deny_unknown(name)]
    if entry is None and (who.families or origin != "other") and name not in REMOVES:
        return _check_installed(command, name, location, origin)
    if entry is None:
        # A command that a gate names needs no rule: a person decides about it.
        gated = find_command_gate(command, location.context.ask_before) is not None
        known = gated and name not in NEVER and name not in rules_by_name()
        return [] if known else [_deny_unknown(name)]
    if isinstance(entry.row, Rule):
        return _check_table(entry.row, name, command, location, depth)
    return _check_tool(entry.row, name, command, location, depth)


def _check_installed(
    command: ShellCommand, name: str, location: CommandLocation, origin: Origin
) -> list[RuleFinding]:
    """A tool without a row, by the name that the project has installed it under."""
    folders = {f"{at}/node_modules/.bin/{name}" for at in (*location.directories, location.root)}
    there = any(location.lookups.what_is(path) == "file" for path in folders)
    if origin == "fetched" and not there:
        reason = f"`{name}` is not known, and the project has not installed it"
        return [_deny(f"{reason}. Use a tool that it has", name)]
    return _check_tool(OWN_PROGRAM, name, command, location, 0)


def _check_tool(
    row: ToolRow | InterpreterRow | PackageRow,
    name: str,
    command: ShellCommand,
    location: CommandLocation,
    depth: int,
) -> list[RuleFinding]:
    verdict = decide_tool(row, command, location)
    if isinstance(row, ToolRow) and (gated := _check_behind(command, location)):
        # A question about a database does not tell of a path that leads elsewhere.
        reason = near_refusal(command.arguments, location)
        return [_deny(f"`{name}`: {reason}", name)] if reason else gated
    match verdict:
        case ToolPermission():
            return [RuleFinding("allow", "", name)]
        case ToolRefusal():
            return [_deny(f"`{name}`: {verdict.reason.rstrip('.')}. {row.instead}", name)]
        case InnerProgram():
            inner = replace(command, words=verdict.words)
            return _check_words(inner, location, depth + 1, verdict.origin)
        case _:
            assert_never(verdict)


def _check_table(
    rule: Rule, name: str, command: ShellCommand, location: CommandLocation, depth: int
) -> list[RuleFinding]:
    verdict = decide_by_table(rule, name, command, location)
    if verdict.refusal:
        return [_deny(verdict.refusal, verdict.full_name)]
    found = [each for part in verdict.inner for each in _check_words(part, location, depth + 1)]
    return found or [RuleFinding("allow", "", verdict.full_name)]


def _find_rule(who: KnownProgram, location: CommandLocation, *, opened: bool) -> RuleEntry | None:
    """The row of the first family that is active, and that the program's folder belongs to.

    What a package tool runs is installed in the project, whatever family that is of.
    """
    active = (*ALWAYS, *active_profiles(location.context.profiles))
    for entry in rules_by_name().get(who.name, ()):
        if (opened or entry.family in active) and (
            not who.families or entry.family in who.families
        ):
            return entry
    return None


def _deny_unknown(name: str) -> RuleFinding:
    entries = rules_by_name().get(name, ())
    if entries:
        families = " or ".join(dict.fromkeys(entry.family for entry in entries))
        reason = f"`{name}` belongs to the profile {families}, which is not active here"
        return _deny(f"{reason}. Use the tools of this project's own languages", "profile")
    return _deny(f"`{name}` is not allowed. {INSTEAD.get(name, NOT_KNOWN)}", "unknown-command")


def _deny(reason: str, rule: str) -> RuleFinding:
    text = reason.strip().rstrip(".")
    return RuleFinding("deny", f"{text[:1].upper()}{text[1:]}.", rule)
