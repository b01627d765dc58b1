"""Finds programs and shell functions of a project, and programs that its setup made of it."""

import os
import re
from itertools import islice
from pathlib import Path

from treadle.workspace.output_files import ANY_DEPTH, matching_files

# Where installers and compilers of usual stacks put programs, often as links.
_PROGRAM_FOLDERS = (
    *(".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin", "bin"),
    *("target/debug", "target/release"),
)
# What a setup installs there comes from outside, unless it starts a module of the project.
_INSTALLED = re.compile(r"(?:^|/)(?:node_modules|vendor|\.?venv|site-packages|\.tox|\.nox)/")
_IMPORTED = re.compile(rb"^[^\S\n]*from\s+(\w{1,100})[\w.]*\s+import\b", re.MULTILINE)
_HEAD = 4_096
_SPECIAL = re.compile(r"[*?\[]")
# Where a shell function is looked for, and how much of it is read.
_SHELL_FILES = tuple(f"{ANY_DEPTH}/*.{ending}" for ending in ("sh", "bash", "zsh", "ksh"))
_FUNCTION_NAME = re.compile(r"[\w.:-]{1,200}")
_MOST_SHELL_FILES = 500
_MOST_BYTES = 1 << 18


def has_program(project: Path, program: str) -> bool:
    """Whether a program, by its name or its path, is a file of the project, or a function that
    one of its shell files defines.

    A link that leads out of the project is none: it is a program of the system. Nor is a tool that
    the setup installed.
    """
    project = project.resolve()
    if "/" in program:
        return _is_file_of(project, project / program)
    if program in ("", ".", ".."):
        return False
    if any(_is_program_of(project, project / folder / program) for folder in _PROGRAM_FOLDERS):
        return True
    literal = _SPECIAL.sub(r"[\g<0>]", program)
    files = matching_files(project, [f"{ANY_DEPTH}/{literal}"])
    is_file = any(_is_program_of(project, project / path) for path in files)
    return is_file or _defines(project, program)


def _defines(project: Path, function: str) -> bool:
    """Whether a shell file of the project defines a function of this name."""
    if not _FUNCTION_NAME.fullmatch(function):
        return False
    name = re.escape(function)
    definition = re.compile(
        rf"^[ \t]*(?:{name}[ \t]*\([ \t]*\)|function[ \t]+{name}\b)".encode(), re.MULTILINE
    )
    files = islice(matching_files(project, _SHELL_FILES), _MOST_SHELL_FILES)
    return any(definition.search(_beginning(project / path)) for path in files)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


def _is_program_of(project: Path, path: Path) -> bool:
    return _is_file_of(project, path) and os.access(path, os.X_OK)


def _is_file_of(project: Path, path: Path) -> bool:
    try:
        target = path.resolve()
        is_inside = target.is_relative_to(project) and target.is_file()
        return is_inside and _is_own(project, target)
    except (OSError, RuntimeError, ValueError):  # too long a name, a circle of links, a null byte
        return False


def _is_own(project: Path, program: Path) -> bool:
    """Whether a file inside the project is not a tool from outside."""
    if not _INSTALLED.search(program.relative_to(project).as_posix()):
        return True
    with program.open("rb") as file:
        modules = [name.decode() for name in _IMPORTED.findall(file.read(_HEAD))]
    folders = (project, project / "src", project / "lib")
    return any(
        (folder / name).is_dir() or (folder / f"{name}.py").is_file()
        for folder in folders
        for name in modules
    )
