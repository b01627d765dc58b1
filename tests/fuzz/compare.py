"""What bash did against what was read: everything that ran must be in the script. Pure."""

import re
import shlex
from collections.abc import Iterator, Sequence

from tests.fuzz.bash import Ran
from treadle.policy.shell.syntax import ParsedLine, ShellCommand, Word

# These run what their arguments say, or change what names mean: that is for the rules to check.
RUNNERS = frozenset(
    {"eval", "source", ".", "command", "builtin", "exec", "trap", "alias", "unalias", "enable"}
    | {"set", "shopt", "fc", "bind", "complete", "compgen", "mapfile", "readarray", "hash", "kill"}
)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_WRITING = frozenset(("write", "append", "both"))


def is_comparable(script: ParsedLine) -> bool:
    """Whether all that the line runs is written in it."""
    names = [command.name.text for command in script.commands if command.name]
    return not any(name in RUNNERS or "/" in name for name in names)


def unseen(script: ParsedLine, ran: Ran) -> list[str]:
    """What bash did and the script does not say; empty if all is well."""
    return [*_commands(script, ran), *_traces(script, ran.traced), *_files(script, ran.files)]


def _commands(script: ParsedLine, ran: Ran) -> Iterator[str]:
    for words in ran.commands:
        if not any(_matches(command, words) for command in script.commands):
            yield f"ran {words!r}"


def _matches(command: ShellCommand, words: Sequence[str]) -> bool:
    if command.name is None or command.name.text != words[0]:
        return False
    if all(word.plain for word in command.arguments):
        return tuple(word.text for word in command.arguments) == tuple(words[1:])
    return True


def _traces(script: ParsedLine, traced: Sequence[str]) -> Iterator[str]:
    names = {command.name.text for command in script.commands if command.name}
    # A bare `export` of a name is traced with its value.
    variables = {each.name for command in script.commands for each in command.assignments}
    # With its name in quotes it is a command like any other: what it assigns are its words.
    variables |= {
        word.text.partition("=")[0]
        for command in script.commands
        if command.name is not None and command.name.text == "export"
        for word in command.arguments
    }
    loops = {loop.variable for loop in script.loops}
    for line in traced:
        if line == "set +x" or line.startswith("case ") or _first(line) in {None, *names}:
            continue
        if line.startswith("for "):
            if line.split()[1] not in loops:
                yield f"looped {line!r}"
        elif found := _ASSIGNMENT.match(line):
            if found[1] not in variables:
                yield f"assigned {line!r}"
        else:
            yield f"traced {line!r}"


def _first(line: str) -> str | None:
    """The first word; None if it goes on in another line, which the trace does not mark."""
    try:
        return shlex.split(line, comments=False)[0]
    except (ValueError, IndexError):
        return None


def _files(script: ParsedLine, files: Sequence[str]) -> Iterator[str]:
    targets = [
        redirect.target
        for command in script.commands
        for redirect in command.redirects
        if redirect.kind in _WRITING
    ]
    if all(target.plain for target in targets):
        known = {_tidy(target) for target in targets}
        yield from (f"wrote {file!r}" for file in files if file not in known)


def _tidy(target: Word) -> str:
    return re.sub(r"^(\./+)+|/(?=/)", "", target.text)
