"""Lists the files near a project's root and reads its manifests, for detection."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treadle.domain.errors import ProjectError

_FOLDERS = ("tests", "test", "spec", "specs", "docs", "__tests__")
_READ = frozenset(
    {
        *("pyproject.toml", "setup.cfg", "tox.ini", "mypy.ini", "Pipfile", "requirements.txt"),
        *("requirements-dev.txt", "requirements-test.txt", "dev-requirements.txt"),
        *("package.json", "composer.json", "Gemfile", "Rakefile", "go.mod"),
        *("Makefile", "makefile", "GNUmakefile"),
    }
)
_MOST_BYTES = 262_144
_MOST_TESTS = 20


@dataclass(frozen=True, slots=True)
class ProjectListing:
    """Paths relative to the project, folders with a trailing slash, and the texts of manifests."""

    names: frozenset[str]
    texts: Mapping[str, str]

    def has(self, *names: str) -> bool:
        """Whether any of these exists."""
        return any(name in self.names for name in names)

    def text(self, *names: str) -> str:
        """The joined texts of those that exist."""
        return "\n".join(self.texts[name] for name in names if name in self.texts)

    def toml(self, name: str) -> Mapping[str, Any]:
        """A TOML file's content; empty for a malformed file, which the project's tools report."""
        try:
            return tomllib.loads(self.text(name))
        except (ValueError, RecursionError):
            return {}

    def json(self, name: str) -> Mapping[str, Any]:
        """A JSON object's content; empty for a malformed file."""
        try:
            loaded = json.loads(self.text(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return loaded if isinstance(loaded, dict) else {}


def scan_project(project: Path) -> ProjectListing:
    """List a project's root and its usual folders, and read its manifests and Python tests."""
    try:
        names = _names(project, "")
    except OSError as error:
        raise ProjectError(
            f"{project} cannot be read: {error.strerror}",
            hint="choose a directory that you may read, with -p",
        ) from None
    for folder in _FOLDERS:
        if f"{folder}/" in names:
            names |= _names_if_readable(project, f"{folder}/")
    tests = sorted(name for name in names if _is_python_test(name))[:_MOST_TESTS]
    to_read = [*sorted(names & _READ), *tests]
    return ProjectListing(frozenset(names), {name: _text(project / name) for name in to_read})


def _names(project: Path, folder: str) -> set[str]:
    return {
        folder + entry.name + ("/" if entry.is_dir() else "")
        for entry in (project / folder).iterdir()
    }


def _names_if_readable(project: Path, folder: str) -> set[str]:
    try:
        return _names(project, folder)
    except OSError:
        return set()


def _is_python_test(name: str) -> bool:
    last = name.rpartition("/")[2]
    return last.endswith(".py") and (last.startswith("test_") or last.endswith("_test.py"))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""
