"""Decides what a check says before the work: red, green, or unknown. Pure.

Only a red look can prove work. Unknown is a look at something else than the project: a setup that
failed, time that ran out, a signal, a tool or a network that is missing.
"""

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

from treadle.verify.results.check_runner import CommandResult
from treadle.verify.results.outside_failure import is_installed_path, outside_failure
from treadle.verify.results.runner_end import unfinished_reason
from treadle.verify.results.start_failure import NOT_EXECUTABLE, StartFailure, start_failure

# How often an unknown look is repeated in all.
MAX_LOOKS = 3

# Signals by which a machine or its limits end a command: HUP, INT, KILL, PIPE, TERM, XCPU, XFSZ.
# A crash (SEGV, ABRT, …) is the project's own.
_CUTTING_SIGNALS = frozenset({1, 2, 9, 13, 15, 24, 25})
_FIRST_SIGNAL = 128
# A script that an interpreter is to run: `sh: 0: cannot open x: No such file`, `bash: x: No such
# file or directory`. It is a file of the project.
_NO_SCRIPT = (
    re.compile(r"^\S{0,200}sh: 0: cannot open (?P<name>[^\s:]{1,500}): No such", re.MULTILINE),
    re.compile(
        r"^\S{0,200}sh: (?P<name>(?!line )[^\s:]{1,500}): No such file or directory$", re.MULTILINE
    ),
)
# A program that a line of a script names: `check.sh: 3: jq: not found`, `sh: line 1: jq: command
# not found`, `zsh:1: command not found: jq`.
_NO_PROGRAM = (
    re.compile(
        r"^\S{1,500}: (?:line )?\d{1,6}: (?P<name>[^\s:]{1,500}): (?:command )?not found$",
        re.MULTILINE,
    ),
    re.compile(r"^zsh:(?:\d{1,6}:)? command not found: (?P<name>\S{1,500})$", re.MULTILINE),
    re.compile(r"^make: (?P<name>[^\s:]{1,500}): No such file or directory$", re.MULTILINE),
    re.compile(r"^error: Failed to spawn: `(?P<name>[^`\n]{1,500})`$", re.MULTILINE),
    re.compile(r"^(?:bundler: )?[Cc]ommand not found: (?P<name>\S{1,500})$", re.MULTILINE),
    re.compile(r"the command (?P<name>\S{1,500}) could not be found within PATH", re.MULTILINE),
    re.compile(
        r"^\S{1,500}: line \d{1,6}: (?P<name>(?:/|(?:\S{1,200}/)?(?:\.venv|venv|node_modules)/)"
        r"[^\s:]{1,500}): No such file or directory$",
        re.MULTILINE,
    ),
)


@dataclass(frozen=True, slots=True)
class RedLook:
    """The check failed, as it should before the work."""


@dataclass(frozen=True, slots=True)
class GreenLook:
    """The check passed, so a later pass says nothing about the work."""


@dataclass(frozen=True, slots=True)
class UnknownLook:
    """Why the check says nothing; `program` was not found, and may be what the work brings."""

    reason: str
    program: str = ""


BeforeLook: TypeAlias = RedLook | GreenLook | UnknownLook


def before_look(result: CommandResult) -> BeforeLook:
    """What the result of a check on the tree before the work says."""
    evidence = result.evidence
    if evidence.is_green:
        # A test runner that did not end, or ran no test, is red.
        return RedLook() if unfinished_reason(result, evidence.command) else GreenLook()
    if result.setup_failure:
        return UnknownLook(result.setup_failure)
    if evidence.exit_code is None:
        return UnknownLook("it ran out of time")
    if signal := cutting_signal(evidence.exit_code):
        return UnknownLook(f"it was ended by signal {signal} (exit code {evidence.exit_code})")
    output = result.log or result.output
    if _lacks_own_script(output):
        return RedLook()
    if missing := _missing_program(evidence.exit_code, output):
        return missing
    reason = outside_failure(output)
    return UnknownLook(reason) if reason else RedLook()


def inconclusive_reason(result: CommandResult) -> str:
    """Why a red result says nothing about the project; empty if it does, or is green.

    A program that is a file of the project is missing rightly.
    """
    look = before_look(result)
    if not isinstance(look, UnknownLook):
        return ""
    is_own = look.program and StartFailure(0, look.program).is_project_file
    return "" if is_own else look.reason


def cutting_signal(exit_code: int | None) -> int:
    """The signal that cut a command short; 0 if none did."""
    if exit_code is None:
        return 0
    signal = -exit_code if exit_code < 0 else exit_code - _FIRST_SIGNAL
    return signal if signal in _CUTTING_SIGNALS else 0


def _lacks_own_script(output: str) -> bool:
    names = [each["name"] for pattern in _NO_SCRIPT for each in pattern.finditer(output)]
    return bool(names) and not any(map(_is_foreign, names))


def _missing_program(exit_code: int, output: str) -> UnknownLook | None:
    named = (each["name"] for pattern in _NO_PROGRAM for each in pattern.finditer(output))
    if failure := start_failure(exit_code, output):
        failure = replace(failure, program=failure.program or next(named, ""))
        # A file that is there and cannot be executed is the project's fault.
        is_own = failure.exit_code == NOT_EXECUTABLE and failure.is_project_file
        return None if is_own else UnknownLook(failure.text, failure.program)
    program = next(named, "")
    return UnknownLook(f"{program} was not found", program) if program else None


def _is_foreign(path: str) -> bool:
    return path.startswith("/") or is_installed_path(path)
