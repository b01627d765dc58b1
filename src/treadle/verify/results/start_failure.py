"""Decides whether a command could not start, which says nothing about the project. Pure."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from treadle.verify.results.outside_failure import is_installed_path

NOT_EXECUTABLE = 126
_NOT_FOUND = 127
# As dash exits without the script that it is to run.
_NO_SCRIPT = 2
_NO_SCRIPT_WORDS = re.compile(r"^\S*sh: 0: cannot open (?P<name>[^\s:]+): No such", re.MULTILINE)
# `sh: 1: x: not found`, `bash: line 1: x: command not found`, `sh: 0: cannot open x: No such file`.
_SHELL_WORDS = (
    re.compile(r"(?:^|: )(?P<name>[^\s:]+): (?:command )?not found\s*$", re.MULTILINE),
    re.compile(r"cannot (?:open|execute) '?(?P<name>[^\s:']+)'?: No such file", re.MULTILINE),
)
_ENV_WORDS = re.compile(r"^env: ['‘]?(?P<name>[^\s:'’]+)['’]?: No such file", re.MULTILINE)
# A shell's name in the first word of a line, and what it says of a program behind it. In two steps:
# one pattern would try every end of the name with every colon.
_SHELL_NAME = re.compile(r"^\S*?(?:sh|env)\b", re.MULTILINE)
_SHELL_REFUSAL = re.compile(r": (?P<name>[^\s:]+): (?:No such file|Permission denied)")


@dataclass(frozen=True, slots=True)
class StartFailure:
    """A command whose program cannot be started."""

    exit_code: int
    # Empty if the shell does not name it.
    program: str

    @property
    def is_project_file(self) -> bool:
        """Whether the program is a file of the project, which the agent may be about to write."""
        is_relative = "/" in self.program and not self.program.startswith("/")
        is_script = self.program.endswith((".sh", ".bash", ".py"))
        return (is_relative or is_script) and not is_installed_path(self.program)

    @property
    def text(self) -> str:
        program = self.program or "a program"
        how = "cannot be executed" if self.exit_code == NOT_EXECUTABLE else "was not found"
        return f"{program} {how} (exit code {self.exit_code})"


def start_failure(exit_code: int | None, output: str) -> StartFailure | None:
    """The program that the shell could not start, by its exit code; None if the command ran."""
    if exit_code == _NO_SCRIPT and (script := _NO_SCRIPT_WORDS.search(output)):
        return StartFailure(exit_code, script["name"])
    if exit_code not in (NOT_EXECUTABLE, _NOT_FOUND):
        return None
    for find_names in _SHELL_NAMES:
        # The last one counts; there may be very many.
        if last := deque(find_names(output), maxlen=1):
            return StartFailure(exit_code, last[0].strip("'‘’"))
    return StartFailure(exit_code, "")


def _matched_by(words: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    return lambda output: (found["name"] for found in words.finditer(output))


def _refused_by_shell(output: str) -> Iterator[str]:
    """Each program that a line which begins with the name of a shell says cannot be run."""
    for shell in _SHELL_NAME.finditer(output):
        end = output.find("\n", shell.end())
        found = _SHELL_REFUSAL.search(output, shell.end(), len(output) if end < 0 else end)
        if found:
            yield found["name"]


_SHELL_NAMES = (
    *map(_matched_by, _SHELL_WORDS),
    _refused_by_shell,
    _matched_by(_ENV_WORDS),
)
