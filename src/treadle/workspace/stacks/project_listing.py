"""Lists the files near a project's root and reads its manifests, for detection."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from treadle.domain.errors import ProjectError

_FOLDERS = ("tests", "test", "spec", "specs", "docs", "__tests__", "requirements")
_READ = frozenset(
    {
        *("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "mypy.ini", "Pipfile"),
        *("requirements.txt", "requirements-dev.txt", "requirements-test.txt"),
        *("dev-requirements.txt", "requirements/base.txt", "requirements/dev.txt"),
        *("requirements/test.txt", "package.json", "pnpm-workspace.yaml", "composer.json"),
        *("Gemfile", "Rakefile", "go.mod", "go.work", "Cargo.toml"),
        *("Makefile", "makefile", "GNUmakefile"),
    }
)
# A folder with one of these is a package of its own.
_MANIFESTS = frozenset(
    {
        *("pyproject.toml", "setup.py", "Pipfile", "requirements.txt", "package.json", "go.mod"),
        *("Cargo.toml", "Gemfile", "composer.json", "pom.xml", "build.gradle", "build.gradle.kts"),
    }
)
_NO_PACKAGES = frozenset(
    {
        *("test", "tests", "__tests__", "spec", "specs", "doc", "docs", "example", "examples"),
        *("fixtures", "testdata", "vendor", "third_party", "node_modules", "dist", "build"),
        *("target", "bin", "obj", "venv", "env", "templates", "benchmarks"),
    }
)
_DEEPEST_PACKAGE = 2
_MOST_PACKAGES = 20
_PLAIN_FOLDER = re.compile(r"[\w.+@-]+")
_MOST_BYTES = 262_144
_MOST_TESTS = 20


@dataclass(frozen=True, slots=True)
class ProjectListing:
    """Paths relative to the project, folders with a trailing slash, and the texts of manifests."""

    names: frozenset[str]
    texts: Mapping[str, str]
    # The packages in folders below, by folder.
    packages: Mapping[str, "ProjectListing"] = field(default_factory=dict)

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
    """List a project's root, its usual folders and the packages below it, and read its manifests
    and Python tests."""
    try:
        names = _names(project, "")
    except OSError as error:
        raise ProjectError(
            f"{project} cannot be read: {error.strerror}",
            hint="choose a directory that you may read, with -p",
        ) from None
    folders = islice(_package_folders(project, ""), _MOST_PACKAGES)
    packages = {
        folder: _listing(project / folder, _names_if_readable(project / folder, ""))
        for folder in sorted(folders)
    }
    return replace(_listing(project, names), packages=packages)


def _listing(directory: Path, names: set[str]) -> ProjectListing:
    for folder in _FOLDERS:
        if f"{folder}/" in names:
            names |= _names_if_readable(directory, f"{folder}/")
    tests = sorted(name for name in names if _is_python_test(name))[:_MOST_TESTS]
    to_read = [*sorted(names & _READ), *tests]
    return ProjectListing(frozenset(names), {name: _text(directory / name) for name in to_read})


def _package_folders(project: Path, above: str, depth: int = 1) -> Iterator[str]:
    """The folders with a manifest; what is below one belongs to it."""
    for name in sorted(_names_if_readable(project / above, "")):
        folder = name.removesuffix("/")
        if folder == name or folder.startswith(".") or folder in _NO_PACKAGES:
            continue
        # A line for the shell is made of it.
        if (project / above / folder).is_symlink() or not _PLAIN_FOLDER.fullmatch(folder):
            continue
        if _MANIFESTS & _names_if_readable(project / above / folder, ""):
            yield above + folder
        elif depth < _DEEPEST_PACKAGE:
            yield from _package_folders(project, f"{above}{folder}/", depth + 1)


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
