"""The search path of programs that Treadle starts on the host: none is found in the project."""

import os
import shutil
from pathlib import Path

_GIT = "git"


def path_outside(search_path: str, project: Path) -> str:
    """A PATH without directories that an agent may write: those in the project, by their real
    paths, and relative ones."""
    return os.pathsep.join(
        entry for entry in search_path.split(os.pathsep) if not may_be_written(entry, project)
    )


def path_outside_first(search_path: str, project: Path) -> str:
    """The same PATH for the programs that the user has configured for git: directories in the
    project come last, so that they add programs and replace none. Relative ones are left out."""
    entries = [entry for entry in search_path.split(os.pathsep) if Path(entry).is_absolute()]
    return os.pathsep.join(sorted(entries, key=lambda entry: may_be_written(entry, project)))


def find_git(search_path: str, project: Path) -> str:
    """The git outside the project, if possible outside of all environments into which a project
    installs programs by names of its own; empty if there is none."""
    outside = path_outside(search_path, project)
    entries = [entry for entry in outside.split(os.pathsep) if not _is_environment(Path(entry))]
    installed = shutil.which(_GIT, path=os.pathsep.join(entries)) if entries else None
    return installed or shutil.which(_GIT, path=outside) or ""


def searched_in(search_path: str, project: Path) -> tuple[str, ...]:
    """The folders of a search path that are in the project, as its paths; empty for its top. A
    relative one counts from there."""
    found: dict[str, None] = {}
    for entry in filter(None, search_path.split(os.pathsep)):
        place = Path(os.path.normpath(project / entry))
        for folder in (place, _resolved(place)):
            if folder.is_relative_to(project):
                found["" if folder == project else folder.relative_to(project).as_posix()] = None
    return tuple(found)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


def _is_environment(folder: Path) -> bool:
    """Whether programs here come from a virtual environment or from packages of node."""
    return "node_modules" in folder.parts or (folder.parent / "pyvenv.cfg").is_file()


def may_be_written(entry: str, project: Path) -> bool:
    """Whether a directory of programs is in the project, or depends on where one is."""
    path = Path(entry)
    if not path.is_absolute():
        return True
    normalized = Path(os.path.normpath(path))
    return normalized.is_relative_to(project) or path.resolve().is_relative_to(project.resolve())
