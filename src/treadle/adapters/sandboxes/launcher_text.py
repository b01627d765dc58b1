"""The launcher as one executable file: found by the shell, run by the interpreter that runs us."""

import shlex
import sys
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from treadle.domain.sandbox import ResourceLimits


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python, by its real path, and where its library lies."""

    program: Path
    library: Path


def this_interpreter() -> Interpreter:
    """The one that runs us, without the virtual environment around it."""
    return Interpreter(Path(sys.executable).resolve(), Path(sys.base_prefix).resolve())


def launcher_text(interpreter: Interpreter, limits: ResourceLimits) -> str:
    """A program in two languages: a shell starts Python on it, which takes the shell's line for a
    string. So it works wherever Python lies, and is a single word before a command."""
    words = (str(interpreter.program), "-I", "-S")
    most = f"{limits.processes} {limits.memory_mb} {limits.file_mb}"
    return f"#!/bin/sh\n''''exec {shlex.join(words)} \"$0\" {most} \"$@\" # '''\n{_source()}"


@cache
def _source() -> str:
    return files("treadle.adapters.sandboxes").joinpath("launch.py").read_text("utf-8")
