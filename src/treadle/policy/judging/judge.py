"""May this shell line run? Every command of it is judged, and the strictest answer counts. Pure."""

import re

from treadle.domain.agent import Allow, Ask, Deny, Judgement
from treadle.policy.commands.language import names
from treadle.policy.judging.commands import Finding, judge_command
from treadle.policy.judging.place import Looks, Place, ShellContext
from treadle.policy.judging.program_words import pattern_refusal
from treadle.policy.judging.scopes import MOST, Scopes
from treadle.policy.judging.variables import loop_refusal, mention_refusal, readings
from treadle.policy.shell.reading import read
from treadle.policy.shell.syntax import Command, Script, Unreadable, Word

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


def judge(line: str, context: ShellContext, *, looks: Looks) -> Judgement:
    """The answer for one line; what cannot be judged is refused."""
    try:
        return _judged(line, context, looks)
    # A rule that fails must not let a line through, whatever made it fail.
    except Exception as error:
        return Deny(
            f"The line could not be judged ({type(error).__name__}). Write it more plainly.",
            rule="judge-failed",
        )


def _judged(line: str, context: ShellContext, looks: Looks) -> Judgement:
    if not line.strip():
        return Allow(rule="empty")
    script = read(line, shfmt=looks.shfmt)
    if isinstance(script, Unreadable):
        return Deny(script.reason, rule=script.rule)
    findings = [*_of_line(line, script), *_of_commands(script, context, looks)]
    denied = next((found for found in findings if found.decision == "deny"), None)
    if denied is not None:
        return Deny(denied.reason, rule=denied.rule)
    asked = next((found for found in findings if found.decision == "ask"), None)
    if asked is not None:
        return Ask(asked.reason, subject=line, rule=asked.rule)
    names = sorted({found.rule for found in findings if found.decision == "allow"})
    return Allow(rule=", ".join(names))


def _of_line(line: str, script: Script) -> list[Finding]:
    reason = loop_refusal(script) or mention_refusal(script)
    if reason is not None:
        return [Finding("deny", f"{reason}.", "variable")]
    # The words that say so are data, too, if no such command runs in a loop or a branch.
    if _ENDLESS.search(line) and any(_constant(command) for command in script.commands):
        reason = "The loop does not end by itself. Count: for i in 1 2 3 4 5; do …; done."
        return [Finding("deny", reason, "endless-loop")]
    return []


def _constant(command: Command) -> bool:
    return command.name is not None and command.name.text in _CONSTANT


def _of_commands(script: Script, context: ShellContext, looks: Looks) -> list[Finding]:
    scopes = Scopes(context, looks, looks.real_path(context.root))
    findings: list[Finding] = []
    for command in script.commands:
        ends = command is script.commands[-1] and _changes_place(command)
        place = scopes.place(command, last=ends or _shows_beside(command))
        findings += judge_command(command, script, place)
        unknown = pattern_refusal(command)
        if unknown is not None:
            findings.append(Finding("deny", f"{unknown[:1].upper()}{unknown[1:]}.", "pattern"))
        if not _changes_place(command):
            continue
        targets = _directories(command, script, place)
        known = all(_is_known(target, command) for target in targets)
        if not known or len(targets) * len(place.directories) > MOST:
            findings.append(Finding("deny", _NOWHERE, "cd"))
        if targets and not scopes.changed(command, tuple(target.text for target in targets)):
            findings.append(Finding("deny", _NOWHERE, "cd"))
    return findings


def _shows_beside(command: Command) -> bool:
    """Whether it only shows what is one step up: from where it was, that is next to the project."""
    up = [word.text.count("..") for word in command.arguments]
    shows = command.name is not None and command.name.text in _SHOWS
    return shows and max(up, default=0) <= 1 and all(word.plain for word in command.arguments)


def _changes_place(command: Command) -> bool:
    return command.name is not None and command.name.text == "cd"


def _directories(command: Command, script: Script, place: Place) -> tuple[Word, ...]:
    """Where a `cd` goes, once for each value that its variables may have."""
    found = []
    for each in readings(command, script, place) or (command,):
        found += [word for word in each.arguments if not word.text.startswith("-")][:1]
    return tuple(dict.fromkeys(found))


def _is_known(target: Word, command: Command) -> bool:
    return target.plain and (command.certain or ".." not in target.text.split("/"))
