"""The launcher as one executable file: in Perl where the system has one, else in Python."""

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias, assert_never

from treadle.domain.sandbox import ResourceLimits

# A fixed place that every sandbox shows, so it can stand in the first line of a file.
PERL = Path("/usr/bin/perl")
SYSTEM = Path("/usr")
# t: variables such as PERL5OPT and PERL5LIB are ignored, in-process would be too late for that;
# with T instead, directories of the PATH that others may write to would stop it.
# X: t warns of what T forbids, and this says nothing. C0: PERL_UNICODE is ignored, too.
SWITCHES = "-tXC0"
# Whether the switches are obeyed, how long an address is, and what was loaded before the program.
QUESTION = 'print join " ", ${^TAINT}, length pack("p", ""), scalar keys %INC'
# Any warning would stand beside it, such as those about a locale that is not there.
ANSWER = "-1 8 0"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python, by its real path, and where its library lies."""

    program: Path
    library: Path


@dataclass(frozen=True, slots=True)
class Perl:
    """The system's own, by the numbers that this machine's kernel knows calls by."""

    prctl: int
    prlimit: int


Starter: TypeAlias = Interpreter | Perl

PERLS: Mapping[str, Perl] = {"x86_64": Perl(157, 302), "aarch64": Perl(167, 261)}


def this_interpreter() -> Interpreter:
    """The one that runs us, without the virtual environment around it."""
    return Interpreter(Path(sys.executable).resolve(), Path(sys.base_prefix).resolve())


def perl_for(machine: str, real: Path, answer: str) -> Perl | None:
    """One that lies at `real` and gave this answer to the question, if it may start commands."""
    if SYSTEM not in real.parents or answer != ANSWER:
        return None
    return PERLS.get(machine)


def launcher_text(starter: Starter, limits: ResourceLimits) -> str:
    """A single word before a command, wherever what runs it lies."""
    match starter:
        case Perl():
            return _in_perl(starter, limits)
        case Interpreter():
            return _in_python(starter, limits)
        case _:
            assert_never(starter)


def _in_perl(perl: Perl, limits: ResourceLimits) -> str:
    numbers = (perl.prctl, perl.prlimit, limits.processes, limits.memory_mb, limits.file_mb)
    given = ", ".join(map(str, numbers))
    return f"#!{PERL} {SWITCHES}\nmy @GIVEN = ({given});\n{_source('launch.pl')}"


def _in_python(interpreter: Interpreter, limits: ResourceLimits) -> str:
    """In two languages: a shell starts Python on it, which takes the shell's line for a string."""
    words = (str(interpreter.program), "-I", "-S")
    most = f"{limits.processes} {limits.memory_mb} {limits.file_mb}"
    exec_line = f'exec {shlex.join(words)} "$0" {most} "$@" # \'\'\''
    return f"#!/bin/sh\n''''{exec_line}\n{_source('launch.py')}"


@cache
def _source(name: str) -> str:
    return files("treadle.adapters.sandboxes").joinpath(name).read_text("utf-8")
