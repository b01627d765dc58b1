"""Finds programs that are part of a project, or that its setup put there."""

import os
import re
from pathlib import Path

from treadle.workspace.output_files import ANY_DEPTH, matching_files

# Where installers and compilers of usual stacks put programs, often as links.
_PROGRAM_FOLDERS = (
    *(".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin", "bin"),
    *("target/debug", "target/release"),
)
_SPECIAL = re.compile(r"[*?\[]")


def has_program(project: Path, program: str) -> bool:
    """Whether a program, by its name or its path, is a file of the project.

    A link that leads out of the project is none: it is a program of the system.
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
    return any(os.access(project / path, os.X_OK) for path in files)


def _is_program_of(project: Path, path: Path) -> bool:
    return _is_file_of(project, path) and os.access(path, os.X_OK)


def _is_file_of(project: Path, path: Path) -> bool:
    try:
        target = path.resolve()
        return target.is_relative_to(project) and target.is_file()
    except (OSError, RuntimeError, ValueError):  # too long a name, a circle of links, a null byte
        return False
