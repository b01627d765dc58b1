"""Counts what a run's work changes, adds and deletes, in files and lines."""

import re
from dataclasses import dataclass

from treadle.domain.events.work import WorkChanged
from treadle.workspace.git import Git

# Deleted files that the event names.
MAX_NAMES = 20
# A work that takes away fewer lines than this is not compared with the size of the project.
MIN_LINES = 200
# A larger file counts as a changed file, and its lines do not count: git would read it whole.
_OPTIONS = ("-c", "core.bigFileThreshold=10m")
_PLAIN = ("--no-ext-diff", "--no-textconv", "--find-renames", "--ignore-submodules=none")
# The objects without content, in both of git's formats.
EMPTY_BLOBS = frozenset(
    {
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    }
)
_INSERTED = re.compile(r"(\d+) insertion")
_DELETED = re.compile(r"(\d+) deletion")


@dataclass(frozen=True, slots=True)
class FileCounts:
    """The files of a difference; an emptied file counts as deleted, a moved one as changed."""

    added: int
    changed: int
    deleted: tuple[str, ...]


async def count_changes(git: Git, before: str, after: str) -> WorkChanged:
    """What differs between the commit before the work and the one after it."""
    raw = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", *_PLAIN)
    files = read_raw_diff(await git.run(*_OPTIONS, *raw, before, after, "--"))
    inserted, deleted = await _count_lines(git, before, after)
    lines_before = None
    if deleted - inserted >= MIN_LINES:
        empty = await git.run("hash-object", "-t", "tree", "--stdin")
        lines_before, _ = await _count_lines(git, empty, before)
    listing = await git.run("ls-tree", "-r", "-z", "--name-only", before)
    return WorkChanged(
        commit=after,
        files_before=listing.count("\0"),
        added=files.added,
        changed=files.changed,
        deleted=len(files.deleted),
        deleted_files=files.deleted[:MAX_NAMES],
        lines_before=lines_before,
        lines_added=inserted,
        lines_deleted=deleted,
    )


def read_raw_diff(listing: str) -> FileCounts:
    """Count the entries of `git diff-tree --raw -z`."""
    fields = iter(listing.split("\0"))
    added = changed = 0
    deleted: list[str] = []
    for entry in fields:
        if not entry.startswith(":"):
            continue
        _, _, _, new_object, letter = entry.split(" ")
        path = next(fields)
        if letter[0] in "RC":
            next(fields)  # the new path
            changed += 1
        elif letter == "D" or (letter == "M" and new_object in EMPTY_BLOBS):
            deleted.append(path)
        elif letter == "A":
            added += 1
        else:
            changed += 1
    return FileCounts(added, changed, tuple(deleted))


async def _count_lines(git: Git, before: str, after: str) -> tuple[int, int]:
    """The lines that are added and deleted between two trees."""
    total = await git.run(*_OPTIONS, "diff-tree", "-r", "--shortstat", *_PLAIN, before, after, "--")
    inserted, deleted = _INSERTED.search(total), _DELETED.search(total)
    return int(inserted[1]) if inserted else 0, int(deleted[1]) if deleted else 0
