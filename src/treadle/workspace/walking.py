"""Walks through what an agent wrote, which may be deeper than a program can call itself."""

import os
from collections.abc import Iterator
from contextlib import suppress

# Git, like most programs, takes no path of more than 4096 bytes, with the name of a file at its
# end. What lies deeper is nothing that it could put into a commit.
LONGEST = 3800


def is_too_deep(folder: str) -> bool:
    """Is its path longer than git could take?"""
    return len(os.fsencode(folder)) > LONGEST


def folders_below(top: str) -> "Iterator[tuple[str, list[os.DirEntry[str]]]]":
    """Each directory and what is in it, but none that is too deep or may not be listed. Whoever
    takes entries out of the list is spared what is below them."""
    unseen = [top]
    while unseen:
        folder, entries = unseen.pop(), []
        with suppress(OSError), os.scandir(folder) as found:
            entries = list(found)
        yield folder, entries
        inner = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        unseen += [path for path in inner if not is_too_deep(path)]
