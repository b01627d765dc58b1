"""Reads the links that the work adds or changes, with their targets, within bounds."""

import os

from treadle.workspace.blob_texts import split_batch
from treadle.workspace.git import Git
from treadle.workspace.tree_entries import LINK_MODE

MOST_LINKS = 10_000
_LONGEST_TARGET = 4_096
# Of a link that is not read: it may lead anywhere.
UNREAD_TARGET = "/"


async def changed_links(git: Git, before: str, after: str) -> dict[str, str]:
    """The targets of new and changed links by path."""
    listing = await git.run(
        *("diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--diff-filter=AMT"),
        *("--ignore-submodules=none", before, after, "--"),
    )
    fields = listing.split("\0")
    entries = [entry.split(" ") for entry in fields[:-1:2]]
    blobs = {
        path: words[3]
        for words, path in zip(entries, fields[1::2], strict=True)
        if words[1] == LINK_MODE
    }
    targets = await _read_targets(git, list(dict.fromkeys(blobs.values()))[:MOST_LINKS])
    return {path: targets.get(blob, UNREAD_TARGET) for path, blob in blobs.items()}


async def _read_targets(git: Git, blobs: list[str]) -> dict[str, str]:
    if not blobs:
        return {}
    sizes = await git.run("cat-file", "--batch-check", stdin=_lines(blobs))
    short = [
        name
        for name, _, size in (line.split(" ") for line in sizes.split("\n"))
        if size.isdigit() and int(size) <= _LONGEST_TARGET
    ]
    contents = split_batch(await git.run("cat-file", "--batch", stdin=_lines(short)))
    return {name: os.fsdecode(content) for name, content in contents.items()}


def _lines(names: list[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()
