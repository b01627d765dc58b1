"""Finds files of the user's that git would no longer ignore after the work: the next snapshot would
have them, and the next agent could read and change them."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from treadle.workspace.ignore_rules import IgnoreRules
from treadle.workspace.project import Project
from treadle.workspace.snapshot_ignore_rules import IGNORE_FILE, git_ignore_sources, read_rules

_MOST_VISITED = 20_000
_MOST_NAMES = 5


async def find_uncovering(
    project: Project, before: str, after: str, changed: Iterable[str]
) -> dict[str, str]:
    """The changed ignore files by which files of the checkout are no longer ignored, each with
    what these are."""
    files = [path for path in changed if path.rpartition("/")[2] == IGNORE_FILE]
    if not files:
        return {}
    sources = await git_ignore_sources(project, before)
    old = await read_rules(sources)
    new = await read_rules(replace(sources, commit=after))
    listing = await project.git.run(
        *("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
    )
    ignored = [path for path in listing.split("\0") if path]
    uncovered = await asyncio.to_thread(_find_uncovered, project.root, ignored, old, new)
    if not uncovered:
        return {}
    return dict.fromkeys(files, f"git would no longer ignore {_names(uncovered)}")


def _find_uncovered(
    root: Path, ignored: Sequence[str], old: IgnoreRules, new: IgnoreRules
) -> list[str]:
    found: dict[str, None] = {}
    for path in ignored:
        bare = path.rstrip("/")
        if new.covers(bare) or any(bare.startswith(f"{each}/") for each in found):
            continue
        if not path.endswith("/"):
            found[path] = None
        elif not new.covers_folder(bare) and any(
            old.covers(each) and not new.covers(each) for each in _files_below(root, bare)
        ):
            found[bare] = None
    return list(found)


def _files_below(root: Path, folder: str) -> Iterator[str]:
    visited = 0
    for place, _, names in os.walk(root / folder):
        relative = Path(place).relative_to(root).as_posix()
        for name in names:
            visited += 1
            if visited > _MOST_VISITED:
                return
            yield f"{relative}/{name}"


def _names(uncovered: Sequence[str]) -> str:
    more = len(uncovered) - _MOST_NAMES
    listed = ", ".join(uncovered[:_MOST_NAMES])
    return f"{listed} and {more} more" if more > 0 else listed
