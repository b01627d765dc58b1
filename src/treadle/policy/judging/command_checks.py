"""Checks of whole commands, by the name that rules use for them. Pure."""

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.arguments import Arguments, ArgumentValue
from treadle.policy.judging.file_checks import FILE_CHECKS
from treadle.policy.judging.git_checks import GIT_CHECKS
from treadle.policy.judging.near_words import near_refusal
from treadle.policy.judging.paths import path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.variable_checks import name_refusal
from treadle.policy.profiles import pkill_targets
from treadle.policy.shell.syntax import Word

Check: TypeAlias = Callable[[Arguments, CommandLocation], str | None]

_MAY_SEND_FILES = names("-F -H --header -w --write-out --data-urlencode -A --user-agent")
_STARTED = re.compile(r"[\w./:@=-]+(?: [\w./:@=-]+)*")


def _pkill(arguments: Arguments, location: CommandLocation) -> str | None:
    """A server of the project's by its name; with -f, by the line that started it."""
    allowed = pkill_targets(location.context.profiles) | set(location.context.allow_pkill_targets)
    name = arguments.operands[0].text
    first, *rest = name.split()[:8] or [""]
    if name in allowed:
        return None
    if "-f" in arguments.switches and _STARTED.fullmatch(name):
        own = len(first) > 3 and ("/" in first or "." in first or not rest)
        if (first in allowed or own) and near_refusal((Word(name),), location) is None:
            return None
    return f"{name} is not a process it may end. Known are: {', '.join(sorted(allowed))}"


def _source(arguments: Arguments, location: CommandLocation) -> str | None:
    text = arguments.operands[0].text
    if re.fullmatch(r"(?:[\w./-]*/)?bin/activate(?:\.\w+)?", text):
        return None
    return "only the project's virtual environment is read in: source .venv/bin/activate"


def _curl(arguments: Arguments, location: CommandLocation) -> str | None:
    """Values that begin with @ name a file to send; a redirect of a local server is followed."""
    reasons = (_sent_file_refusal(value, location) for value in arguments.values)
    return next((reason for reason in reasons if reason is not None), None)


def _sent_file_refusal(value: ArgumentValue, location: CommandLocation) -> str | None:
    text = value.word.text
    if value.flag in ("-d", "--data", "--data-binary", "--json") and text[:1] == "@":
        file = Word(text[1:], value.word.expands, value.word.variables)
        return None if file.text == "-" else path_refusal(file, "read", location)
    if value.flag in ("-o", "--output") and "#" in text:
        return f"{text} takes its name from the address. Write the name out"
    if value.flag in ("-w", "--write-out") and "%output" in text.lower():
        return f"{text} writes to a file. Print it"
    if value.flag in _MAY_SEND_FILES and re.search(r"(?:^|=\s*|^[\w-]+)[@<]", text):
        return f"{text} may be a file. Send it with --data-binary @file"
    urlencoded = value.flag == "--data-urlencode" and "@" in text
    if (urlencoded or value.flag in ("-b", "--cookie")) and "=" not in text:
        return f"{text} may be a file. Write name=value"
    return None


def _export(arguments: Arguments, location: CommandLocation) -> str | None:
    return None if arguments.assigns else "it prints all variables"


def _unset(arguments: Arguments, location: CommandLocation) -> str | None:
    reasons = (name_refusal(word.text) for word in arguments.operands)
    return next((reason for reason in reasons if reason is not None), None)


def _read(arguments: Arguments, location: CommandLocation) -> str | None:
    waits = None if arguments.fed else "it would wait for input that nobody sends"
    return _unset(arguments, location) or waits


def _grep(arguments: Arguments, location: CommandLocation) -> str | None:
    """With the pattern in an option, the first word is a file as all others are."""
    named = {"-e", "--regexp", "-f", "--file", "--files"} & set(arguments.switches)
    files = arguments.operands if named else arguments.operands[1:]
    for word in files[:1] if named else ():
        reason = path_refusal(word, "read", location)
        if reason is not None:
            return reason
    if not files and not arguments.operands:
        return None if named else "a pattern is missing"
    recursive = {"-r", "-R", "--recursive", "--dereference-recursive"} & set(arguments.switches)
    if files or recursive or arguments.fed or arguments.full_name == "rg":
        return None
    return "without a file it waits for input that nobody sends"


CHECKS: Mapping[str, Check] = {
    **GIT_CHECKS,
    **FILE_CHECKS,
    "export": _export,
    "unset": _unset,
    "read": _read,
    "grep": _grep,
    "pkill": _pkill,
    "source": _source,
    "curl": _curl,
}
