"""Which files a setup command needs, and which of them it depends on. Pure.

A known installer depends on its manifests and lock files alone; whatever else a command runs may
depend on every file.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from treadle.workspace.package_metadata import builds_from_code, runs_own_code

# Whether a path exists in the project.
Exists = Callable[[str], bool]

_ENDS = re.compile(r"^[;&|()]+$")
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")
_SHELLS = frozenset({"sh", "bash", "zsh", ".", "source"})


@dataclass(frozen=True, slots=True)
class SetupPart:
    """One command of a setup line, in its folder."""

    # Its words, without assignments before them.
    words: tuple[str, ...]
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Installer:
    """A program that installs what one of its manifests names."""

    programs: tuple[str, ...]
    actions: tuple[str, ...]
    # One of these must exist.
    manifests: tuple[str, ...]


INSTALLERS = (
    Installer(("npm", "pnpm", "yarn", "bun"), ("ci", "install", "i"), ("package.json",)),
    Installer(("uv",), ("sync",), ("pyproject.toml",)),
    Installer(("poetry",), ("install", "lock"), ("pyproject.toml",)),
    Installer(("pdm",), ("install", "sync"), ("pyproject.toml",)),
    Installer(("pipenv",), ("install", "sync"), ("Pipfile",)),
    Installer(("cargo",), ("fetch",), ("Cargo.toml",)),
    Installer(("go",), ("mod",), ("go.mod", "go.work")),
    Installer(("bundle",), ("install", "config"), ("Gemfile",)),
    Installer(("composer",), ("install", "update"), ("composer.json",)),
)
# They need a manifest, and do more than to install what it names.
BUILDERS = (
    Installer(("npm", "pnpm", "yarn", "bun"), ("run",), ("package.json",)),
    Installer(("hatch",), ("env", "run"), ("pyproject.toml",)),
    Installer(("cargo",), ("build", "check", "test"), ("Cargo.toml",)),
    Installer(("mvn",), (), ("pom.xml",)),
    Installer(
        ("gradle",),
        (),
        ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    ),
    Installer(("make", "gmake"), (), ("Makefile", "makefile", "GNUmakefile")),
    Installer(("just",), (), ("justfile", "Justfile", ".justfile")),
)
_FOLDER_OPTIONS = frozenset(
    {
        *("--prefix", "-C", "--dir", "--cwd", "--directory", "--project", "-p", "-f", "--file"),
        *("--manifest-path", "--gemfile", "--working-dir", "-d"),
    }
)
# A longer word is a script.
_LONGEST_PATH = 200
_METADATA = ("pyproject.toml", "setup.py")


def missing_files(command: str, exists: Exists) -> tuple[str, ...]:
    """The files that the command needs and that do not exist yet, one name for each part."""
    missing = []
    for part in setup_parts(command):
        for names in _needed(part):
            paths = [str(PurePosixPath(part.folder, name)) for name in names]
            if not any(exists(path) for path in paths):
                missing.append(paths[0])
    return tuple(dict.fromkeys(missing))


def is_installation(command: str, manifests: Mapping[str, str]) -> bool:
    """Whether the command depends on manifests, lock files and the files that it names alone.

    `manifests` are the texts of the project's manifests, by path.
    """
    parts = setup_parts(command)
    if not parts or not all(_is_installing(part) for part in parts) or runs_own_code(manifests):
        return False
    return not installs_in_place(command) or not builds_from_code(manifests)


def installs_in_place(command: str) -> bool:
    """Whether the command also makes an editable install of the project's Python package."""
    return any(_is_in_place(part) for part in setup_parts(command))


def named_files(command: str) -> tuple[str, ...]:
    """The paths that the words of the command may name."""
    paths = (
        PurePosixPath(part.folder, word)
        for part in setup_parts(command)
        for word in part.words
        if not word.startswith(("-", "/")) and len(word) <= _LONGEST_PATH
    )
    return tuple(str(path) for path in paths if ".." not in path.parts)


def setup_parts(command: str) -> list[SetupPart]:
    """The commands of the line; empty for a line that cannot be split."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return []
    return list(_parts(words))


def _parts(words: Sequence[str]) -> Iterator[SetupPart]:
    folders = [""]
    current: list[str] = []
    for word in (*words, ";"):
        if not _ENDS.match(word):
            if current or not _ASSIGNMENT.match(word):
                current.append(word)
            continue
        if current[:1] == ["cd"] and len(current) == 2:
            folders[-1] = str(PurePosixPath(folders[-1], current[1]))
        elif current:
            yield SetupPart(tuple(current), folders[-1])
        current = []
        folders += folders[-1:] * word.count("(")
        del folders[max(1, len(folders) - word.count(")")) :]


def _needed(part: SetupPart) -> Iterator[tuple[str, ...]]:
    """The files that the part needs, each as its possible names."""
    program, *rest = part.words
    if _is_elsewhere(part):
        return
    if installer := _installer(part, (*INSTALLERS, *BUILDERS)):
        yield installer.manifests
    elif _is_pip_install(part):
        yield from ((name,) for name in _requirement_files(part.words))
        if _installs_project(part.words):
            yield _METADATA
    elif program in _SHELLS and rest and not rest[0].startswith("-"):
        yield (rest[0],)
    elif "/" in program and not program.startswith("/") and not _is_in_environment(program):
        yield (program,)


def _is_elsewhere(part: SetupPart) -> bool:
    """Whether an option names another folder."""
    return any(word.partition("=")[0] in _FOLDER_OPTIONS for word in part.words)


def _is_installing(part: SetupPart) -> bool:
    if _is_elsewhere(part):
        return False
    if _is_venv(part) or _installer(part, INSTALLERS):
        return True
    # Not what is copied from the project: `pip install .` takes every file.
    return _is_pip_install(part) and not any(
        word == "." or word.startswith((".[", "./")) for word in _arguments_of_pip(part.words)
    )


def _is_in_place(part: SetupPart) -> bool:
    program = PurePosixPath(part.words[0]).name
    return program in ("uv", "poetry", "pdm") or "-e" in part.words or "--editable" in part.words


def _installer(part: SetupPart, installers: Iterable[Installer]) -> Installer | None:
    program, *rest = part.words
    action = next((word for word in rest if not word.startswith("-")), "")
    # `yarn` and `bundle` install without an argument.
    action = action or ("install" if program in ("yarn", "bundle") else "")
    for installer in installers:
        if program in installer.programs and (not installer.actions or action in installer.actions):
            return installer
    return None


def _is_venv(part: SetupPart) -> bool:
    words = [PurePosixPath(part.words[0]).name, *part.words[1:]]
    is_python = words[0].startswith("python") and words[1:3] == ["-m", "venv"]
    return is_python or words[:2] == ["uv", "venv"] or words[0] == "virtualenv"


def _is_pip_install(part: SetupPart) -> bool:
    words = part.words
    program = PurePosixPath(words[0]).name
    if program.startswith("python"):
        return words[1:4] == ("-m", "pip", "install")
    if program in ("uv", "poetry"):
        return "pip" in words[1:4] and "install" in words
    return program in ("pip", "pip3") and "install" in words[1:3]


def _arguments_of_pip(words: Sequence[str]) -> list[str]:
    """What pip installs, without editable packages."""
    start = words.index("install") + 1
    pairs = pairwise(words[start - 1 :])
    return [word for before, word in pairs if before not in ("-e", "--editable", "-r", "-c")]


def _requirement_files(words: Sequence[str]) -> list[str]:
    pairs = pairwise(words)
    return [name for option, name in pairs if option in ("-r", "--requirement", "-c")]


def _installs_project(words: Sequence[str]) -> bool:
    return any(word == "." or word.startswith(".[") for word in words)


def _is_in_environment(program: str) -> bool:
    """Whether an earlier part makes it."""
    return "/bin/" in f"/{program}" and PurePosixPath(program).parts[0].startswith((".", "venv"))
