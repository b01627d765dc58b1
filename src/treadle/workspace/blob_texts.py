"""Reads the text of files of a commit, within bounds."""

import os
from collections.abc import Collection
from dataclasses import dataclass

from treadle.workspace.git import Git, argument_batches

_FILE_MODES = frozenset({"100644", "100755"})


@dataclass(frozen=True, slots=True)
class ReadBounds:
    """The most that is read: larger files and those beyond the sum are left out."""

    file_bytes: int = 256 * 1024
    total_bytes: int = 8 * 1024 * 1024
    files: int = 500


async def read_texts(
    git: Git, commit: str, paths: Collection[str], bounds: ReadBounds | None = None
) -> dict[str, str]:
    """The text of these files or folders by path; without binary files and links.

    Bytes that are no UTF-8 are replaced.
    """
    if not paths:
        return {}
    limits = bounds or ReadBounds()
    literal = ("--literal-pathspecs", "ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--")
    listings = [
        await git.run(*literal, *batch) for batch in argument_batches(sorted(paths)[: limits.files])
    ]
    chosen = _choose("\0".join(listings), limits)
    if not chosen:
        return {}
    names = "".join(f"{name}\n" for name in dict.fromkeys(chosen.values()))
    contents = split_batch(await git.run("cat-file", "--batch", stdin=names.encode()))
    return {
        path: contents[name].decode(errors="replace")
        for path, name in chosen.items()
        if name in contents and b"\0" not in contents[name]
    }


def _choose(listing: str, limits: ReadBounds) -> dict[str, str]:
    """The objects to read by path, from `ls-tree -r -z -l`: mode, kind, object, size, tab, path."""
    chosen: dict[str, str] = {}
    room = limits.total_bytes
    for entry in listing.split("\0"):
        head, _, path = entry.partition("\t")
        fields = head.split()
        if len(fields) != 4 or fields[0] not in _FILE_MODES or not fields[3].isdigit():
            continue
        size = int(fields[3])
        if size <= min(limits.file_bytes, room) and len(chosen) < limits.files:
            chosen[path] = fields[2]
            room -= size
    return chosen


def split_batch(output: str) -> dict[str, bytes]:
    """The contents by object, from `cat-file --batch`: object, kind, size, newline, content."""
    content, position = os.fsencode(output), 0
    contents: dict[str, bytes] = {}
    while position < len(content):
        line_end = content.index(b"\n", position)
        name, *kind_and_size = content[position:line_end].decode().split(" ")
        start = line_end + 1
        if len(kind_and_size) != 2:  # the repository lacks this object
            position = start
            continue
        size = kind_and_size[1]
        contents[name] = content[start : start + int(size)]
        position = start + int(size) + 1
    return contents
