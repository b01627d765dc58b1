"""Finds and reads the files that a command wrote, by pattern and without following links."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from treadle.workspace.hostile_files import is_too_deep

# Limits for one file and for all. The file that exceeds a limit is still returned, so the reader
# sees that there is too much and does not take a part for the whole.
MOST_BYTES = 16 << 20
MOST_BYTES_IN_ALL = 64 << 20
MOST_FILES = 2000
ANY_DEPTH = "**"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# Inode, change time and size: they change with every write, even if the modification time is set.
FileMark = tuple[int, int, int]
# The parts of a pattern that are not matched yet.
PatternRest = tuple[str, ...]
# The rests of all patterns; empty for a file that matches.
PatternRests = tuple[PatternRest, ...]


def mark_files(top: Path, patterns: Sequence[str]) -> dict[str, FileMark]:
    """Mark the current state of matching files; links are not followed."""
    return dict(_mark_matching(top, patterns))


def read_written_files(
    top: Path, patterns: Sequence[str], *, before: Mapping[str, FileMark]
) -> dict[str, bytes]:
    """The beginning of each matching file that was written since the marks were made.

    An older file says nothing about the command.
    """
    written: dict[str, bytes] = {}
    size = 0
    for path, mark in _mark_matching(top, patterns):
        if len(written) > MOST_FILES or size > MOST_BYTES_IN_ALL:
            break
        if before.get(path) != mark and (text := _content(top, path)) is not None:
            written[path] = text
            size += len(text)
    return written


def matching_files(top: Path, patterns: Sequence[str]) -> Iterator[str]:
    """Files that match a pattern, in the order of their names; links are not followed."""
    return _matching_files(top, tuple(map(_parts, patterns)))


def _mark_matching(top: Path, patterns: Sequence[str]) -> Iterator[tuple[str, FileMark]]:
    for path in matching_files(top, patterns):
        try:
            mark = _mark(top / path)
        except FileNotFoundError:  # without a sandbox, another process may still be running there
            continue
        yield path, mark


def _parts(pattern: str) -> PatternRest:
    """The parts of a pattern; empty for one that leads out of the directory."""
    parts = tuple(part for part in pattern.split("/") if part not in ("", "."))
    return () if pattern.startswith("/") or ".." in parts else parts


def _matching_files(top: Path, patterns: tuple[PatternRest, ...]) -> Iterator[str]:
    """Files that match a pattern, in the order of their names.

    Not recursive, because the directories may be deeper than Python's recursion limit.
    """
    pending = [("", patterns)] if patterns else []
    while pending:
        path, rests = pending.pop()
        if not rests:
            yield path
            continue
        pending += reversed(list(_matching_entries(top, path, _without_depth(rests))))


def _matching_entries(
    top: Path, path: str, patterns: tuple[PatternRest, ...]
) -> Iterator[tuple[str, PatternRests]]:
    """The matching files of this directory, and its directories with the rests of the patterns."""
    entries: list[os.DirEntry[str]] = []
    with suppress(OSError), os.scandir(top / path) as scan:
        entries = sorted(scan, key=lambda entry: entry.name)
    for entry in entries:
        rests = [rest for rest in patterns if rest and _matches_part(rest[0], entry.name)]
        entry_path = f"{path}/{entry.name}" if path else entry.name
        if entry.is_dir(follow_symlinks=False):
            next_rests = tuple(rest for rest in dict.fromkeys(map(_next_rest, rests)) if rest)
            if next_rests and not is_too_deep(entry.path):
                yield entry_path, next_rests
        elif entry.is_file(follow_symlinks=False) and any(_is_last(rest) for rest in rests):
            yield entry_path, ()


def _without_depth(patterns: tuple[PatternRest, ...]) -> tuple[PatternRest, ...]:
    """Add the patterns in which a leading `**` matches no directory."""
    rests: dict[PatternRest, None] = {}
    for pattern in patterns:
        rest = pattern
        rests[rest] = None
        while rest and rest[0] == ANY_DEPTH:
            rest = rest[1:]
            rests[rest] = None
    return tuple(rests)


def _matches_part(part: str, name: str) -> bool:
    return part == ANY_DEPTH or fnmatchcase(name, part)


def _is_last(rest: PatternRest) -> bool:
    return len(rest) == 1 and rest[0] != ANY_DEPTH


def _next_rest(rest: PatternRest) -> PatternRest:
    return rest if rest[0] == ANY_DEPTH else rest[1:]


def _mark(path: Path) -> FileMark:
    status = path.lstat()
    return (status.st_ino, status.st_ctime_ns, status.st_size)


def _content(top: Path, path: str) -> bytes | None:
    """Open each directory relative to its parent, so none can be a link."""
    *folders, name = path.split("/")
    opened = [os.open(top, _FOLDER)]
    try:
        for folder in folders:
            opened.append(os.open(folder, _FOLDER, dir_fd=opened[-1]))
        with os.fdopen(os.open(name, _FILE, dir_fd=opened[-1]), "rb") as file:
            return file.read(MOST_BYTES)
    except OSError:  # removed, or replaced by something else
        return None
    finally:
        for descriptor in opened:
            os.close(descriptor)
