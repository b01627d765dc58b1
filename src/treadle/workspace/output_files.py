"""Finds and reads the files that a command wrote, by pattern and without following links."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from treadle.workspace.hostile_files import is_too_deep

# Of one file. Of all of them, and how many: what goes beyond is still brought back once, so that
# whoever reads them sees that it is too much, and does not take a part for all.
MOST_BYTES = 16 << 20
MOST_BYTES_IN_ALL = 64 << 20
MOST_FILES = 2000
ANY_DEPTH = "**"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# Another as soon as somebody writes the file, whatever time they give it.
FileMark = tuple[int, int, int]
# What is left of a pattern on the way down.
PatternRest = tuple[str, ...]
# Of all patterns; of none: it is a file that matches.
PatternRests = tuple[PatternRest, ...]


def mark_files(top: Path, patterns: Sequence[str]) -> dict[str, FileMark]:
    """The files that match, as they are now; no link is followed."""
    return dict(_mark_matching(top, patterns))


def read_written_files(
    top: Path, patterns: Sequence[str], *, before: Mapping[str, FileMark]
) -> dict[str, bytes]:
    """Those that were written since, with the beginning of what is in them: a file that lay there
    already says nothing about the command."""
    found: dict[str, bytes] = {}
    size = 0
    for path, mark in _mark_matching(top, patterns):
        if len(found) > MOST_FILES or size > MOST_BYTES_IN_ALL:
            break
        if before.get(path) != mark and (text := _content(top, path)) is not None:
            found[path] = text
            size += len(text)
    return found


def _mark_matching(top: Path, patterns: Sequence[str]) -> Iterator[tuple[str, FileMark]]:
    for path in _matching_files(top, tuple(map(_parts, patterns))):
        try:
            mark = _mark(top / path)
        except FileNotFoundError:  # without a sandbox somebody may still be at work there
            continue
        yield path, mark


def _parts(pattern: str) -> PatternRest:
    """Empty for one that leads out of the directory: it matches nothing."""
    parts = tuple(part for part in pattern.split("/") if part not in ("", "."))
    return () if pattern.startswith("/") or ".." in parts else parts


def _matching_files(top: Path, patterns: tuple[PatternRest, ...]) -> Iterator[str]:
    """Files that match a pattern, in the order of their names. Whatever made the directories may
    have made them deeper than a function can call itself."""
    unseen = [("", patterns)] if patterns else []
    while unseen:
        path, rests = unseen.pop()
        if not rests:
            yield path
            continue
        unseen += reversed(list(_matching_entries(top, path, _without_depth(rests))))


def _matching_entries(
    top: Path, path: str, wanted: tuple[PatternRest, ...]
) -> Iterator[tuple[str, PatternRests]]:
    """What matches in this directory: files, and directories with what is left of the patterns."""
    entries: list[os.DirEntry[str]] = []
    with suppress(OSError), os.scandir(top / path) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        rests = [rest for rest in wanted if rest and _matches_part(rest[0], entry.name)]
        own = f"{path}/{entry.name}" if path else entry.name
        if entry.is_dir(follow_symlinks=False):
            further = tuple(rest for rest in dict.fromkeys(map(_next_rest, rests)) if rest)
            if further and not is_too_deep(entry.path):
                yield own, further
        elif entry.is_file(follow_symlinks=False) and any(_is_last(rest) for rest in rests):
            yield own, ()


def _without_depth(patterns: tuple[PatternRest, ...]) -> tuple[PatternRest, ...]:
    """With those besides in which a `**` stands for nothing."""
    found: dict[PatternRest, None] = {}
    for pattern in patterns:
        rest = pattern
        found[rest] = None
        while rest and rest[0] == ANY_DEPTH:
            rest = rest[1:]
            found[rest] = None
    return tuple(found)


def _matches_part(part: str, name: str) -> bool:
    return part == ANY_DEPTH or fnmatchcase(name, part)


def _is_last(rest: PatternRest) -> bool:
    return len(rest) == 1 and rest[0] != ANY_DEPTH


def _next_rest(rest: PatternRest) -> PatternRest:
    return rest if rest[0] == ANY_DEPTH else rest[1:]


def _mark(path: Path) -> FileMark:
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
