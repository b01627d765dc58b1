"""Decides whether a shell line may run: the strictest answer of its commands counts. Pure."""

import re

from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.command_decision import RuleFinding, check_command
from treadle.policy.judging.directory_tracker import MOST, DirectoryTracker
from treadle.policy.judging.shell_context import CommandLocation, ShellContext, SystemLookups
from treadle.policy.judging.variable_checks import loop_refusal, mention_refusal
from treadle.policy.judging.variable_values import expand_variables
from treadle.policy.light.variables import LineVariables
from treadle.policy.shell.line_parser import parse_line
from treadle.policy.shell.syntax import ParsedLine, ShellCommand, UnreadableLine, Word

# A test of nothing but written words is always the same; one of a file is not.
_FIXED = r"(?:\[\[?\s|test\s)(?!(?:[^;&|\n]*\s)?-[a-hkprstuwxGLNOS]\s)[^$`;&|\n]*"
_ALWAYS = rf"(?:!\s*)*(?:true|false|:|sleep\b[^;&|\n]*|{_FIXED})"
_ENDLESS = re.compile(
    rf"\b(?:while|until)\s+(?:{_ALWAYS}|\(\s*{_ALWAYS}\s*\)|\{{\s+{_ALWAYS}\s*[;\n]\s*\}})"
    r"\s*(?:;|\n)"
)
_NOWHERE = "Where this `cd` leads is known only at run time. Name the directory."
_SHOWS = names("cat head tail wc ls")
_CONSTANT = names("true : false [ [[ test sleep")


def decide_line(line: str, context: ShellContext, *, lookups: SystemLookups) -> PolicyDecision:
    """Decide about one line; a line that cannot be checked is refused."""
    try:
        return _decide(line, context, lookups)
    # A rule that raises must not allow a line.
    except Exception as error:
        return Deny(
            f"The line could not be judged ({type(error).__name__}). Write it more plainly.",
            rule="judge-failed",
        )


def _decide(line: str, context: ShellContext, lookups: SystemLookups) -> PolicyDecision:
    if not line.strip():
        return Allow(rule="empty")
    script = parse_line(line, shfmt=lookups.shfmt)
    if isinstance(script, UnreadableLine):
        return Deny(script.reason, rule=script.rule)
    findings = [*_check_line(line, script), *_check_commands(script, context, lookups)]
    denied = next((found for found in findings if found.decision == "deny"), None)
    if denied is not None:
        return Deny(denied.reason, rule=denied.rule)
    asked = next((found for found in findings if found.decision == "ask"), None)
    if asked is not None:
        return Ask(asked.reason, subject=line, rule=asked.rule)
    names = sorted({found.rule for found in findings if found.decision == "allow"})
    return Allow(rule=", ".join(names))


def _check_line(line: str, script: ParsedLine) -> list[RuleFinding]:
    reason = loop_refusal(script) or mention_refusal(script)
    if reason is not None:
        return [RuleFinding("deny", f"{reason}.", "variable")]
    # The words that say so are data, too, if no such command runs in a loop or a branch.
    if _ENDLESS.search(line) and any(_constant(command) for command in script.commands):
        reason = "The loop does not end by itself. Count: for i in 1 2 3 4 5; do …; done."
        return [RuleFinding("deny", reason, "endless-loop")]
    return []


def _constant(command: ShellCommand) -> bool:
    return command.name is not None and command.name.text in _CONSTANT


def _check_commands(
    script: ParsedLine, context: ShellContext, lookups: SystemLookups
) -> list[RuleFinding]:
    scopes = DirectoryTracker(context, lookups, lookups.real_path(context.root))
    variables = LineVariables.of_loops(script.loops)
    findings: list[RuleFinding] = []
    for command in script.commands:
        if secret := variables.find_secret_use(command):
            findings.append(RuleFinding("deny", secret.reason, secret.rule))
        variables.record(command)
        ends = command is script.commands[-1] and _is_cd(command)
        location = scopes.locate(command, last=ends or _shows_parent_only(command))
        findings += check_command(command, script, location)
        if not _is_cd(command):
            continue
        targets = _directories(command, script, location)
        known = all(_is_known(target, command) for target in targets)
        if not known or len(targets) * len(location.directories) > MOST:
            findings.append(RuleFinding("deny", _NOWHERE, "cd"))
        if targets and not scopes.record_cd(command, tuple(target.text for target in targets)):
            findings.append(RuleFinding("deny", _NOWHERE, "cd"))
    return findings


def _shows_parent_only(command: ShellCommand) -> bool:
    """Whether it only shows what is one step up: from where it was, that is next to the project."""
    up = [word.text.count("..") for word in command.arguments]
    shows = command.name is not None and command.name.text in _SHOWS
    return shows and max(up, default=0) <= 1 and all(word.plain for word in command.arguments)


def _is_cd(command: ShellCommand) -> bool:
    return command.name is not None and command.name.text == "cd"


def _directories(
    command: ShellCommand, script: ParsedLine, location: CommandLocation
) -> tuple[Word, ...]:
    """Where a `cd` goes, once for each value that its variables may have."""
    found = []
    for each in expand_variables(command, script, location) or (command,):
        found += [word for word in each.arguments if not word.text.startswith("-")][:1]
    return tuple(dict.fromkeys(found))


def _is_known(target: Word, command: ShellCommand) -> bool:
    """A pattern leads into some folder beside the others that it stands for."""
    if target.variables or target.substitutes or target.text.startswith("~"):
        return False
    return command.certain or ".." not in target.text.split("/")
