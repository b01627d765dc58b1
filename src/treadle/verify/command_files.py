"""Finds the files that a command uses: those it mentions and those its tools read. Pure."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath

from treadle.domain.check import FileChange
from treadle.verify.evidence_files import evidence_kind

# Characters that end a word of a shell line, also inside `$(…)` and `sh -c`.
_WORD_BREAK = re.compile(r"[\s;&|()<>{}\"'`$=,]+")
_MODULE = re.compile(r"\w+(?:\.\w+)+")
_GLOB = re.compile(r"[*?\[]")
_DIRECTORY_WORDS = frozenset({"cd", "pushd", "-C", "--prefix", "--directory"})
# Tools that read the meaning of their arguments from a file.
_TOOL_FILES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("make", "gmake"), ("Makefile", "makefile", "GNUmakefile")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("package.json",)),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"),
    "tox": ("tox.ini",),
    "nox": ("noxfile.py",),
    "rake": ("Rakefile", "rakefile"),
    "composer": ("composer.json",),
}
_TOOL_FILE_NAMES = frozenset(name for names in _TOOL_FILES.values() for name in names)
# A file or directory with one of these words in its name is evidence, not part of the product.
_EVIDENCE_WORDS = frozenset(
    {
        *("check", "checks", "checker", "verify", "verifier", "verification"),
        *("expect", "expected", "expectations", "golden", "goldens"),
        *("acceptance", "smoke", "ci", "grade", "grader"),
    }
)
_NO_LETTER = re.compile(r"[^a-z]+")


def refers_to_file(command: str, path: str) -> bool:
    """Whether a command mentions this file of the project or its tool reads it."""
    return any(_matches_path(mentioned, path) for mentioned in _mentioned_paths(command))


def uses_evidence_file(command: str, path: str) -> bool:
    """Whether a check uses this file as evidence, not as the product that it tests.

    A command names both kinds of files; only the file names distinguish them.
    """
    if not refers_to_file(command, path):
        return _has_evidence_name(path) and any(
            _is_folder_of(mentioned, path) for mentioned in _mentioned_paths(command)
        )
    return (
        PurePosixPath(path).name in _TOOL_FILE_NAMES
        or evidence_kind(path) is not None
        or _has_evidence_name(path)
    )


def find_changed_evidence(command: str, changes: Iterable[FileChange]) -> tuple[str, ...]:
    """The evidence files of a check that were changed or removed."""
    return tuple(
        change.path
        for change in changes
        if change.how != "added" and uses_evidence_file(command, change.path)
    )


@lru_cache(maxsize=1024)
def _mentioned_paths(command: str) -> frozenset[str]:
    words = [word for word in _WORD_BREAK.split(command) if word]
    directories = {
        "",
        *(following for word, following in pairwise(words) if word in _DIRECTORY_WORDS),
    }
    return frozenset(
        str(PurePosixPath(directory, name))
        for word in dict.fromkeys(words)
        for name in (word.partition("::")[0], *_TOOL_FILES.get(word, ()), *_python_files(word))
        for directory in directories
    )


def _python_files(word: str) -> Iterator[str]:
    """The files that a dotted Python name may refer to; it may end in a class or a test."""
    if _MODULE.fullmatch(word) is None:
        return
    parts = word.split(".")
    for length in range(1, len(parts) + 1):
        module = "/".join(parts[:length])
        yield f"{module}.py"
        yield f"{module}/__main__.py"


def _matches_path(mentioned: str, path: str) -> bool:
    return mentioned == path or (
        _GLOB.search(mentioned) is not None and fnmatchcase(path, mentioned)
    )


def _is_folder_of(mentioned: str, path: str) -> bool:
    return path.startswith(f"{mentioned}/")


def _has_evidence_name(path: str) -> bool:
    return not _EVIDENCE_WORDS.isdisjoint(_NO_LETTER.split(path.lower()))
