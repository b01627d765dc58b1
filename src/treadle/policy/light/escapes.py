"""Refuses commands that would get more rights, or reach outside the sandbox. Pure."""

from collections.abc import Iterator
from itertools import pairwise

from treadle.domain.agent import Deny
from treadle.policy.light.tables import (
    ATTACHING,
    CODE_OPTIONS,
    DEBUGGERS,
    ESCAPE_SOCKET,
    ESCAPES,
    INTERPRETERS,
    PROCESS_FILE,
    PROCESS_PATTERN,
)
from treadle.policy.shell.syntax import ShellCommand, Word

RULE = "escape"
# They print their words, or search for them.
_ONLY_TEXT = frozenset({"echo", "printf", "grep", "egrep", "fgrep", "rg", "git", "gh"})
SOCKET = Deny("Container services are not reachable here. Work without them.", RULE)
PROCESS = Deny(
    "The memory and the variables of processes are closed. Print one variable: printenv NAME.", RULE
)


def deny_program(name: str) -> Deny:
    return Deny(
        f"`{name}` gives no further rights here. Run the command itself; if it needs them, say so "
        "in your notes.",
        RULE,
    )


def find_escape(command: ShellCommand, name: str) -> Deny | None:
    """The refusal if the command is a way out of the sandbox, or would look for one."""
    if name in ESCAPES and not _only_lists_mounts(command, name):
        return deny_program(name)
    if name in DEBUGGERS and any(ATTACHING.fullmatch(word.text) for word in command.arguments):
        return PROCESS
    for word in _words(command, name):
        if ESCAPE_SOCKET.search(word.text):
            return SOCKET
        if PROCESS_FILE.search(word.text) or (word.expands and PROCESS_PATTERN.search(word.text)):
            return PROCESS
    return None


def _only_lists_mounts(command: ShellCommand, name: str) -> bool:
    return name == "mount" and not command.arguments


def _words(command: ShellCommand, name: str) -> Iterator[Word]:
    if INTERPRETERS.fullmatch(name):
        # The code of a program is not read.
        pairs = pairwise(command.words)
        yield from (word for before, word in pairs if before.text not in CODE_OPTIONS)
    elif name not in _ONLY_TEXT:
        yield from command.arguments
    yield from (given.value for given in command.assignments)
    yield from (redirect.target for redirect in command.redirects if redirect.kind in _FILES)


_FILES = frozenset({"read", "write", "append", "both"})
