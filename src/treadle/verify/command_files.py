"""Which files a command goes by: those that its words name, and what its tools read. Pure."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath

from treadle.domain.change import Change
from treadle.verify.judges import judge_of

# Blanks, quotes and whatever else ends a word of a shell line, also inside of `$(…)` and `sh -c`.
_BETWEEN = re.compile(r"[\s;&|()<>{}\"'`$=,]+")
_MODULE = re.compile(r"\w+(?:\.\w+)+")
_GLOB = re.compile(r"[*?\[]")
_INTO = frozenset({"cd", "pushd", "-C", "--prefix", "--directory"})
# Tools that are told in a file what a word of the line stands for.
_TOLD_BY: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("make", "gmake"), ("Makefile", "makefile", "GNUmakefile")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("package.json",)),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"),
    "tox": ("tox.ini",),
    "nox": ("noxfile.py",),
    "rake": ("Rakefile", "rakefile"),
    "composer": ("composer.json",),
}
_RUNNERS = frozenset(name for names in _TOLD_BY.values() for name in names)
# In the name of a file or of a directory: it was written to judge, and is no part of the product.
_JUDGING = frozenset(
    {
        *("check", "checks", "checker", "verify", "verifier", "verification"),
        *("expect", "expected", "expectations", "golden", "goldens"),
        *("acceptance", "smoke", "ci", "grade", "grader"),
    }
)
_NO_LETTER = re.compile(r"[^a-z]+")


def names(command: str, path: str) -> bool:
    """Whether a command goes by this file of the project."""
    return any(_is_it(named, path) for named in _named(command))


def judges_by(command: str, path: str) -> bool:
    """Whether a check goes by this file, and it is none of the product that the check looks at.

    Both stand in its command, and only their names tell them apart.
    """
    if not names(command, path):
        return _says_so(path) and any(_is_above(named, path) for named in _named(command))
    return PurePosixPath(path).name in _RUNNERS or judge_of(path) is not None or _says_so(path)


def altered(command: str, changes: Iterable[Change]) -> tuple[str, ...]:
    """The files by which a check judges that were there and are not the same any more."""
    return tuple(
        change.path
        for change in changes
        if change.how != "added" and judges_by(command, change.path)
    )


@lru_cache(maxsize=1024)
def _named(command: str) -> frozenset[str]:
    words = [word for word in _BETWEEN.split(command) if word]
    places = {"", *(after for word, after in pairwise(words) if word in _INTO)}
    return frozenset(
        str(PurePosixPath(place, named))
        for word in dict.fromkeys(words)
        for named in (word.partition("::")[0], *_TOLD_BY.get(word, ()), *_modules(word))
        for place in places
    )


def _modules(word: str) -> Iterator[str]:
    """The files that a dotted name of Python may stand for; it may go on to a class or a test."""
    if _MODULE.fullmatch(word) is None:
        return
    parts = word.split(".")
    for length in range(1, len(parts) + 1):
        module = "/".join(parts[:length])
        yield f"{module}.py"
        yield f"{module}/__main__.py"


def _is_it(named: str, path: str) -> bool:
    return named == path or (_GLOB.search(named) is not None and fnmatchcase(path, named))


def _is_above(named: str, path: str) -> bool:
    return path.startswith(f"{named}/")


def _says_so(path: str) -> bool:
    return not _JUDGING.isdisjoint(_NO_LETTER.split(path.lower()))
