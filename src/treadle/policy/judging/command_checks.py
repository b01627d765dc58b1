"""Checks of whole commands, by the name that rules use for them. Pure."""

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.arguments import Arguments, ArgumentValue
from treadle.policy.judging.file_checks import FILE_CHECKS
from treadle.policy.judging.git_checks import GIT_CHECKS
from treadle.policy.judging.language_checks import LANGUAGE_CHECKS
from treadle.policy.judging.paths import path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.variable_checks import name_refusal
from treadle.policy.profiles import pkill_targets
from treadle.policy.shell.syntax import Word

Check: TypeAlias = Callable[[Arguments, CommandLocation], str | None]

LONGEST_SLEEP_S = 300.0
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([smhd]?)")
_MAY_SEND_FILES = names("-F -H --header -w --write-out --data-urlencode -A --user-agent")
_WIDE = re.compile(r"%[^a-zA-Z%]*\d{5,}")


def _pkill(arguments: Arguments, location: CommandLocation) -> str | None:
    allowed = pkill_targets(location.context.profiles) | set(location.context.allow_pkill_targets)
    name = arguments.operands[0].text
    if name in allowed:
        return None
    return f"{name} is not a process it may end. Known are: {', '.join(sorted(allowed))}"


def _sleep(arguments: Arguments, location: CommandLocation) -> str | None:
    total = 0.0
    for word in arguments.operands:
        found = _DURATION.fullmatch(word.text)
        if found is None:
            return f"{word.text} is not a duration"
        total += float(found[1]) * _UNITS[found[2]]
    if total > LONGEST_SLEEP_S:
        return f"it waits longer than {LONGEST_SLEEP_S:g} seconds. Wait for less"
    return None


def _printf(arguments: Arguments, location: CommandLocation) -> str | None:
    wide = any(re.search(r"\d{5,}", word.text) for word in arguments.operands[1:])
    if arguments.operands and wide and re.search(r"%[^a-zA-Z%]*\*", arguments.operands[0].text):
        return "so wide a field fills the memory"
    if arguments.operands and _WIDE.search(arguments.operands[0].text):
        return "so wide a field fills the memory"
    if arguments.operands and arguments.operands[0].text.startswith("-v"):
        return "-v sets a variable. Assign it instead"
    return None


def _tail(arguments: Arguments, location: CommandLocation) -> str | None:
    if {"-f", "-F", "--follow"} & set(arguments.switches):
        return "following a file does not end. Read its last lines with -n"
    return None


def _kill(arguments: Arguments, location: CommandLocation) -> str | None:
    for position, word in enumerate(arguments.operands):
        signal = position == 0 < len(arguments.operands) - 1 and re.fullmatch(
            r"-(?:\d+|[A-Z]+)", word.text
        )
        if not signal and not re.fullmatch(r"%\d+|\$!|\$\{!\}", word.text):
            return "it ends only jobs of this line: %1 or $!. To end a server by name: pkill"
    return None


def _set(arguments: Arguments, location: CommandLocation) -> str | None:
    if not arguments.switches or arguments.operands:
        return "it prints all variables, or changes arguments. Only -e, -u, -o pipefail are allowed"
    values = {value.word.text for value in arguments.values}
    return None if values <= {"pipefail", "errexit", "nounset"} else "only -o pipefail is allowed"


def _curl(arguments: Arguments, location: CommandLocation) -> str | None:
    """Values that begin with @ name a file to send; an answer may name another address."""
    if {"-L", "--location"} & set(arguments.switches):
        return "a redirect leads anywhere. Leave -L out, and ask what the answer names"
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


def _ps(arguments: Arguments, location: CommandLocation) -> str | None:
    columns = arguments.value("-o")
    if columns is not None and "env" in columns.text:
        return "it shows the environments of processes"
    for word in arguments.operands:
        if not re.fullmatch(r"[auxfwjlh]+|\d+", word.text):
            return f"{word.text} may show the environments of processes. Use aux"
    return None


def _export(arguments: Arguments, location: CommandLocation) -> str | None:
    return None if arguments.assigns else "it prints all variables"


def _exit(arguments: Arguments, location: CommandLocation) -> str | None:
    return None if len(arguments.operands) < 2 else "it takes one number"


def _unset(arguments: Arguments, location: CommandLocation) -> str | None:
    for word in arguments.operands:
        if word.text.isupper() and len(word.text) > 1:
            return f"{word.text} may be a variable that programs need"
    return None


def _read(arguments: Arguments, location: CommandLocation) -> str | None:
    for word in arguments.operands:
        reason = name_refusal(word.text)
        if reason is not None:
            return reason
    return None if arguments.fed else "it would wait for input that nobody sends"


def _asks_where(arguments: Arguments, location: CommandLocation) -> str | None:
    return None if {"-v", "-V"} & set(arguments.switches) else "it runs what follows unseen"


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
    if files or recursive or arguments.fed or arguments.rule.name == "rg":
        return None
    return "without a file it waits for input that nobody sends"


def _seq(arguments: Arguments, location: CommandLocation) -> str | None:
    small = len(arguments.operands) > 2 and arguments.operands[1].text.lstrip("-")[:2] in (
        "0.",
        ".0",
        ".",
    )
    fine = small and len(arguments.operands[1].text) > 4
    long = fine or any(len(word.text) > 6 for word in arguments.operands)
    return "so many numbers are not needed" if long else None


def _date(arguments: Arguments, location: CommandLocation) -> str | None:
    return (
        None
        if all(word.text[:1] == "+" for word in arguments.operands)
        else "it would set the clock"
    )


def _lsof(arguments: Arguments, location: CommandLocation) -> str | None:
    if not {"-i", "-p"} & set(arguments.switches):
        return "without -i or -p it lists everything"
    for word in arguments.operands:
        if not re.fullmatch(r"(?:tcp|udp|TCP|UDP)?:?[\w,-]+", word.text):
            return f"{word.text} is not a port"
    return None


CHECKS: Mapping[str, Check] = {
    **GIT_CHECKS,
    **LANGUAGE_CHECKS,
    **FILE_CHECKS,
    "export": _export,
    "exit": _exit,
    "unset": _unset,
    "read": _read,
    "asks-where": _asks_where,
    "grep": _grep,
    "ripgrep": _grep,
    "seq": _seq,
    "date": _date,
    "lsof": _lsof,
    "pkill": _pkill,
    "sleep": _sleep,
    "printf": _printf,
    "tail": _tail,
    "kill": _kill,
    "set": _set,
    "curl": _curl,
    "ps": _ps,
}
