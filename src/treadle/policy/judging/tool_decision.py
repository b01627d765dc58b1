"""Decides about programs that run the project's code, and finds what they run in turn. Pure."""

import re
from typing import assert_never

from treadle.policy.commands.rule_syntax import InterpreterRow, PackageRow, ToolRow, names
from treadle.policy.judging.near_words import near_refusal
from treadle.policy.judging.package_decision import decide_package_tool
from treadle.policy.judging.paths import TEMPORARY, lies_in, path_refusal
from treadle.policy.judging.program_lookup import FETCHED
from treadle.policy.judging.shell_context import CommandLocation, absolute
from treadle.policy.judging.tool_verdicts import (
    InnerProgram,
    ToolPermission,
    ToolRefusal,
    ToolVerdict,
)
from treadle.policy.shell.syntax import Redirect, ShellCommand, Word

UNSEEN = (
    "it would run what comes through its input, a program that the policy has not seen. "
    "Write it to a file and run that"
)
_WAITS = "without a file it waits for a person to type"
_INPUT = frozenset({"-", "/dev/stdin"})
# Modules of Python whose command has another name.
_HOSTS = names("-h --host -H --hostaddr")
_CODE = names("-c --command --execute")
_HERE = re.compile(r"localhost|127\.0\.0\.1|::1|/.*")
_COMMANDS_OF = {"django": "django-admin", "pre_commit": "pre-commit", "sphinx": "sphinx-build"}


def decide_tool(
    row: ToolRow | InterpreterRow | PackageRow, command: ShellCommand, location: CommandLocation
) -> ToolVerdict:
    match row:
        case ToolRow():
            return _decide_open(row, command.arguments, location)
        case PackageRow():
            return decide_package_tool(row, command.arguments, location)
        case InterpreterRow():
            return _decide_interpreter(row, command, location)
        case _:
            assert_never(row)


def _decide_open(row: ToolRow, words: tuple[Word, ...], location: CommandLocation) -> ToolVerdict:
    if row.mode != "read" and location.context.roles == "read":
        return ToolRefusal("in this role you read and report, and change nothing")
    if row.never_text and (found := _find(row.never_text, words)):
        return ToolRefusal(f"{found} is not allowed")
    reason = _never_refusal(names(row.never), words) or near_refusal(words, location)
    return ToolRefusal(reason) if reason else ToolPermission()


def _find(pattern: str, words: tuple[Word, ...]) -> str:
    found = (re.search(pattern, word.text) for word in words)
    return next((each[0] for each in found if each), "")


def _never_refusal(never: frozenset[str], words: tuple[Word, ...]) -> str | None:
    """Options by their name, and sub-commands: the first operand, or the one after a value."""
    operands, options = 0, 0
    # Code on the line is as good as that of an interpreter.
    code = any(word.text.partition("=")[0] in _CODE for word in words)
    for at, word in enumerate(words):
        if word.text.startswith("-") and word.text != "-":
            name, equals, value = word.text.partition("=")
            options += not equals
            following = value or next((each.text for each in words[at + 1 : at + 2]), "")
            if name in never and not (name in _HOSTS and _HERE.fullmatch(following)):
                return f"{name} is not allowed"
            continue
        operands += 1
        if word.text in never and operands <= 1 + (options > 0) and not code:
            return f"{word.text} is not allowed"
    return None


def _decide_interpreter(
    row: InterpreterRow, command: ShellCommand, location: CommandLocation
) -> ToolVerdict:
    """Goes through the options up to the program, which may be a file, a module or code."""
    words, at, alone = command.arguments, 0, False
    never, code, module = names(row.never), names(row.code), names(row.module)
    while at < len(words) and _is_option(words[at]):
        word, rest = words[at], words[at + 1 :]
        name, _, value = word.text.partition("=")
        if name in never or (row.present and {f"-{each}" for each in word.text[1:]} & never):
            return ToolRefusal(f"the option {name} is not allowed")
        if name in code or (found := _attached(word.text, code)):
            return _decide_code(_code_after(word, rest, code), rest[1:], location)
        if name in module or (found := _attached(word.text, module)):
            follows = name in module and not value
            named = rest[:1] if follows else (Word(value or found),)
            return _decide_module(never, named, rest[1:] if follows else rest)
        alone = alone or name in names(row.alone)
        taken = 1 if name in names(row.takes) and word.text == name else 0
        if reason := near_refusal(words[at : at + 1 + taken], location):
            return ToolRefusal(reason)
        at += 1 + taken
    program = words[at] if at < len(words) else None
    if program is not None and program.text in code:
        return _decide_code(words[at + 1 : at + 2], words[at + 2 :], location)
    if program is None or program.text in _INPUT:
        return ToolPermission() if alone else _decide_input(row, command, location)
    return _decide_file(row, (program, *words[at + 1 :]), location)


def _is_option(word: Word) -> bool:
    return word.text.startswith("-") and word.text not in ("-", "--")


def _attached(text: str, options: frozenset[str]) -> str:
    """`-mpytest`, and `-ne` before code: what follows the letter, or the letter alone."""
    if text.startswith("--") or not options:
        return ""
    if text[:2] in options:
        return text[2:]
    return text[-1] if f"-{text[-1]}" in options and text[1:].isalpha() else ""


def _code_after(option: Word, rest: tuple[Word, ...], code: frozenset[str]) -> tuple[Word, ...]:
    """The code of an option: in the same word, as `--eval=1`, or the next word."""
    attached = "=" in option.text if option.text.startswith("--") else not option.text[1:].isalpha()
    return (option,) if attached and option.text not in code else rest[:1]


def _decide_code(
    given: tuple[Word, ...], rest: tuple[Word, ...], location: CommandLocation
) -> ToolVerdict:
    if not given:
        return ToolRefusal("the code is missing")
    made = bool(given[0].variables or given[0].substitutes)
    if made and given[0].text.lstrip()[:1] in ("$", "`"):
        return ToolRefusal(
            f"what {given[0].text} brings is code that the policy has not seen. Write it out"
        )
    reason = near_refusal(rest, location)
    return ToolRefusal(reason) if reason else ToolPermission()


def _decide_module(
    never: frozenset[str], named: tuple[Word, ...], rest: tuple[Word, ...]
) -> ToolVerdict:
    if not named or not named[0].plain or named[0].text in never:
        return ToolRefusal(f"the module {named[0].text if named else ''} is not run")
    name = _COMMANDS_OF.get(named[0].text, named[0].text)
    return InnerProgram((Word(name), *rest), "installed")


def _decide_file(
    row: InterpreterRow, words: tuple[Word, ...], location: CommandLocation
) -> ToolVerdict:
    program = words[0]
    if program.text in names(row.never):
        return ToolRefusal(f"{program.text} is not allowed")
    if row.present and not _is_there(program, location):
        return ToolRefusal(
            f"{program.text} is not an existing script. Write its commands on the line"
        )
    return InnerProgram(words, "script" if row.present else "file")


def _is_there(program: Word, location: CommandLocation) -> bool:
    return program.plain and all(
        location.lookups.what_is(absolute(directory, program.text)) == "file"
        for directory in location.directories
    )


def _decide_input(
    row: InterpreterRow, command: ShellCommand, location: CommandLocation
) -> ToolVerdict:
    """Its program comes through the input: a file is judged as code, a text must be in sight."""
    if row.present:
        return ToolRefusal("it would run what comes through its input")
    sources = [each for each in command.redirects if _feeds(each)]
    if not sources:
        if command.piped and _shows_text(command.piped[-1]):
            return ToolPermission()
        return ToolRefusal(UNSEEN if command.fed or command.scope else _WAITS)
    source = sources[-1]
    if source.kind in ("read", "both"):
        reason = program_file_refusal(source.target, location)
        return ToolRefusal(reason) if reason else ToolPermission()
    made = source.target.variables or source.target.substitutes
    return ToolRefusal(UNSEEN) if source.kind == "duplicate" or made else ToolPermission()


def _shows_text(command: ShellCommand) -> bool:
    """Whether this is `cat <<'EOF'`, whose whole output is written in the line."""
    if [word.text for word in command.words] not in (["cat"], ["cat", "-"]):
        return False
    if len(command.redirects) != 1 or not _feeds(command.redirects[0]):
        return False
    text = command.redirects[0].target
    made = (text.variables or text.substitutes) and text.text.lstrip()[:1] in ("$", "`")
    return command.redirects[0].kind in ("heredoc", "herestring") and not made


def _feeds(redirect: Redirect) -> bool:
    if redirect.kind == "duplicate":
        return redirect.descriptor == "0"
    return redirect.kind in ("read", "both", "heredoc", "herestring") and (
        redirect.descriptor in ("", "0")
    )


def program_file_refusal(word: Word, location: CommandLocation) -> str | None:
    """Why this file is not run: it must lie in the project, or in /tmp, as agents write them."""
    if FETCHED.search(word.text):
        return f"{word.text} is code from elsewhere. Use what the project has"
    scratch = word.plain and ".." not in word.text.split("/")
    paths = {location.lookups.real_path(absolute(at, word.text)) for at in location.directories}
    if scratch and all(lies_in(path, TEMPORARY) for path in paths):
        return None
    return path_refusal(word, "run", location)
