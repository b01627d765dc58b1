"""Finds the Python that runs inside sandboxes, and builds the launcher that it runs there."""

import sys
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from treadle.domain.sandbox import ResourceLimits


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python: its program and the directory that holds its library, both without links."""

    program: Path
    prefix: Path


def this_interpreter() -> Interpreter:
    """The Python that runs Treadle, without the virtual environment around it."""
    return find_interpreter(Path(sys.executable), Path(sys.base_prefix))


def find_interpreter(executable: Path, base_prefix: Path) -> Interpreter:
    """A sandbox shows the base prefix and not the virtual environment, so the program must be
    below the prefix. A virtual environment that was made with copies has a program of its own."""
    program, prefix = executable.resolve(), base_prefix.resolve()
    if program.is_relative_to(prefix):
        return Interpreter(program, prefix)
    major, minor = sys.version_info[:2]
    return Interpreter((prefix / f"bin/python{major}.{minor}").resolve(), prefix)


def launcher_text(python: str, limits: ResourceLimits) -> str:
    """The launcher as one executable file. The kernel reads `python` from its first line, so that
    path must be short and have no spaces."""
    arguments = f"{limits.processes}, {limits.memory_mb}, {limits.file_mb}"
    return f"#!{python} -IS\n{_launcher_source()}\n\nmain({arguments})\n"


@cache
def _launcher_source() -> str:
    return files("treadle.adapters.sandboxes").joinpath("launch.py").read_text("utf-8")
