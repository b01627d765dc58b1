"""Files that a command left in a directory: found by pattern, and read without leaving it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

# Of one file, and how many.
MOST_BYTES = 16 << 20
MOST_FILES = 1000
ANY_DEPTH = "**"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# Another as soon as somebody writes the file, whatever time they give it.
Mark = tuple[int, int, int]
# What is left of a pattern on the way down.
Rest = tuple[str, ...]


def marks(top: Path, patterns: Sequence[str]) -> dict[str, Mark]:
    """The files that match, as they are now; no link is followed."""
    found = islice(_below(top, "", tuple(map(_parts, patterns))), MOST_FILES)
    return {path: _mark(top / path) for path in found}


def files_left(
    top: Path, patterns: Sequence[str], *, before: Mapping[str, Mark]
) -> dict[str, bytes]:
    """Those that were written since, with the beginning of what is in them: a file that lay there
    already says nothing about the command."""
    written = [path for path, mark in marks(top, patterns).items() if before.get(path) != mark]
    return {path: text for path in written if (text := _content(top, path)) is not None}


def _parts(pattern: str) -> Rest:
    """Empty for one that leads out of the directory: it matches nothing."""
    parts = tuple(part for part in pattern.split("/") if part not in ("", "."))
    return () if pattern.startswith("/") or ".." in parts else parts


def _below(folder: Path, prefix: str, patterns: tuple[Rest, ...]) -> Iterator[str]:
    """Files that match what is left of a pattern in this directory."""
    wanted = _without_depth(patterns)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        rests = [rest for rest in wanted if rest and _names(rest[0], entry.name)]
        if entry.is_dir(follow_symlinks=False):
            further = tuple(rest for rest in dict.fromkeys(map(_after, rests)) if rest)
            if further:
                yield from _below(folder / entry.name, f"{prefix}{entry.name}/", further)
        elif entry.is_file(follow_symlinks=False) and any(_is_last(rest) for rest in rests):
            yield f"{prefix}{entry.name}"


def _without_depth(patterns: tuple[Rest, ...]) -> tuple[Rest, ...]:
    """With those besides in which a `**` stands for nothing."""
    found: dict[Rest, None] = {}
    for pattern in patterns:
        rest = pattern
        found[rest] = None
        while rest and rest[0] == ANY_DEPTH:
            rest = rest[1:]
            found[rest] = None
    return tuple(found)


def _names(part: str, name: str) -> bool:
    return part == ANY_DEPTH or fnmatchcase(name, part)


def _is_last(rest: Rest) -> bool:
    return len(rest) == 1 and rest[0] != ANY_DEPTH


def _after(rest: Rest) -> Rest:
    return rest if rest[0] == ANY_DEPTH else rest[1:]


def _mark(path: Path) -> Mark:
    found = path.lstat()
    return (found.st_ino, found.st_ctime_ns, found.st_size)


def _content(top: Path, path: str) -> bytes | None:
    """Each directory on the way is opened in the one before, so that none can be a link."""
    *folders, name = path.split("/")
    opened = [os.open(top, _FOLDER)]
    try:
        for folder in folders:
            opened.append(os.open(folder, _FOLDER, dir_fd=opened[-1]))
        with os.fdopen(os.open(name, _FILE, dir_fd=opened[-1]), "rb") as file:
            return file.read(MOST_BYTES)
    except OSError:  # it went, or was replaced by something else
        return None
    finally:
        for descriptor in opened:
            os.close(descriptor)
