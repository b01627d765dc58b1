"""The PATH for programs that Treadle runs on the host."""

import os
from dataclasses import replace
from pathlib import Path

from treadle.settings.environment import Environment


def path_outside(search_path: str, project: Path) -> str:
    """A PATH without directories that an agent may write: those in the project, by their real
    paths, and relative ones."""
    real = project.resolve()
    entries = [
        entry
        for entry in search_path.split(os.pathsep)
        if Path(entry).is_absolute() and not _is_inside(Path(entry), project, real)
    ]
    return os.pathsep.join(entries)


def without_project(environment: Environment, project: Path) -> Environment:
    """The environment for lookups of programs that run here with the user's rights."""
    return replace(environment, path=path_outside(environment.path, project))


def _is_inside(entry: Path, project: Path, real: Path) -> bool:
    normalized = Path(os.path.normpath(entry))
    return normalized.is_relative_to(project) or entry.resolve().is_relative_to(real)
