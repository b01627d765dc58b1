"""Where the host itself looks for programs that it runs."""

import os
from dataclasses import replace
from pathlib import Path

from treadle.settings.environment import Environment


def path_outside(search_path: str, project: Path) -> str:
    """A PATH without what an agent may write: directories in the project, by their real names,
    and those that depend on where one happens to stand."""
    real = project.resolve()
    entries = [
        entry
        for entry in search_path.split(os.pathsep)
        if Path(entry).is_absolute() and not _inside(Path(entry), project, real)
    ]
    return os.pathsep.join(entries)


def without_project(environment: Environment, project: Path) -> Environment:
    """For whatever looks a program up in order to run it here, with the user's rights."""
    return replace(environment, path=path_outside(environment.path, project))


def _inside(entry: Path, project: Path, real: Path) -> bool:
    written = Path(os.path.normpath(entry))
    return written.is_relative_to(project) or entry.resolve().is_relative_to(real)
