"""What of a project runs by itself because something else starts it: hooks, settings of git, files
that tools obey, and what these name in turn. Pure, but for reading texts, which is passed in."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from treadle.domain.check import FileChange
from treadle.policy.named_files import (
    ProjectFiles,
    ending_of,
    is_data,
    named_files,
    program_folders,
)

# How far is followed what one file names, and how many files in all.
MOST_STEPS = 5
MOST_FILES = 2_000
_PYTHON = ("py", "pyw")
_MODULE = re.compile(r"(?P<name>[^./]+)(?:\.(?:py|pyc|pyd|so)|\.[^/]+\.(?:so|pyd)|/__init__\.pyc?)")
_NODE_MODULE = re.compile(
    r"[^/]+\.(?:js|cjs|json|node)|[^/]+(?:/[^/]+)*/(?:index\.js|package\.json)"
)
# A person starts these; what opens with a folder says so.
_BY_A_PERSON = re.compile(
    r"(?:.*/)?\.vscode/(?:launch|extensions)\.json|(?:.*/)?\.idea/workspace\.xml"
)
_TASKS = re.compile(r"(?:.*/)?\.vscode/tasks\.json|.*\.code-workspace")
_WHEN_OPENED = "folderOpen"


@dataclass(frozen=True, slots=True)
class SearchFolders:
    """Folders of the project in which the user's shell and interpreters look for what to run."""

    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()  # of Python and Node


@dataclass(frozen=True, slots=True)
class StartSource:
    """A text that runs by itself: what it is to a person, its path in the project if it has one,
    and the text."""

    name: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class StartedFiles:
    """Files and folders with the reason why a change of them would run by itself."""

    files: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)  # folders on a search path
    modules: Mapping[str, str] = field(default_factory=dict)  # folders that modules come from
    # The paths that the user's own links give to a file or folder.
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def why(self, change: FileChange) -> str:
        """Why this change would run by itself; empty if nothing is known that starts it."""
        path = change.path
        folder = path.rpartition("/")[0]
        if path in self.files:
            return self.files[path]
        # At the top of a project lie many files that are no programs.
        is_program = bool(folder) or (change.how == "added" and "." not in path)
        if folder in self.programs and is_program and not is_data(path):
            return self.programs[folder]
        return self._why_loaded(path) if change.how == "added" else self._why_shadows(path)

    def _why_loaded(self, path: str) -> str:
        """Why a new module is loaded by something that runs by itself."""
        for folder, why in self.modules.items():
            rest = path.removeprefix(f"{folder}/") if folder else path
            if (not folder or rest != path) and (
                _MODULE.fullmatch(rest) or _NODE_MODULE.fullmatch(rest)
            ):
                return why
        return self._shadowing(path, "")

    def _why_shadows(self, path: str) -> str:
        """Why a changed module is loaded in place of Python's own."""
        places = (folder for folder in self.modules if self._shadowing(path, folder))
        return next((self._shadowing(path, folder) for folder in places), "")

    @staticmethod
    def _shadowing(path: str, folder: str) -> str:
        rest = path.removeprefix(f"{folder}/") if folder else path
        found = _MODULE.fullmatch(rest)
        if found is None or found["name"].lower() not in sys.stdlib_module_names:
            return ""
        return f"Python loads it in place of its own module {found['name']}"

    def other_paths(self, path: str) -> Iterator[str]:
        """The paths that this file has through links."""
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            head = "/".join(parts[:end])
            for link in self.aliases.get(head, ()):
                yield f"{link}{path[len(head) :]}"


def find_started(
    sources: list[StartSource],
    started: Mapping[str, str],
    files: ProjectFiles,
    read: Callable[[str], str],
    folders: SearchFolders,
) -> StartedFiles:
    """Follow what sources name, and what those files name.

    `started` are files that are known to run by themselves, with the reason.
    """
    known: dict[str, str] = dict(started)
    programs = dict.fromkeys(folders.programs, "it is in a folder of your PATH")
    modules = dict.fromkeys(folders.modules, "your PYTHONPATH or NODE_PATH has its folder")
    steps = [*sources, *(StartSource(path, path, read(path)) for path in started)]
    for _ in range(MOST_STEPS):
        found: dict[str, str] = {}
        for source in filter(_runs_by_itself, steps):
            reason = f"{source.name} starts it, and that runs by itself"
            for path in sorted(named_files(source.text, source.path, files) - known.keys()):
                found.setdefault(path, reason)
            for folder in program_folders(source.text, source.path):
                programs.setdefault(folder, f"{source.name} puts its folder on the PATH")
        known |= dict(list(found.items())[: MOST_FILES - len(known)])
        if not found or len(known) >= MOST_FILES:
            break
        steps = [StartSource(path, path, read(path)) for path in found]
    for path in known:
        if ending_of(path) in _PYTHON:
            reason = f"{path} may load it, and that runs by itself"
            modules.setdefault(path.rpartition("/")[0], reason)
    return StartedFiles(known, programs, modules, aliases_of(files.links, files))


def _runs_by_itself(source: StartSource) -> bool:
    if _BY_A_PERSON.fullmatch(source.path) or is_document(source.path):
        return False
    return not _TASKS.fullmatch(source.path) or _WHEN_OPENED in source.text


def is_document(path: str) -> bool:
    return ending_of(path) in ("md", "mdx", "mdc", "rst", "txt", "adoc")


def aliases_of(links: Mapping[str, str], files: ProjectFiles) -> dict[str, tuple[str, ...]]:
    """The links to each file or folder of the project, through further links."""
    found: dict[str, list[str]] = {}
    for link in sorted(links):
        if target := files.lead(link):
            found.setdefault(target, []).append(link)
    return {target: tuple(names) for target, names in found.items()}
