"""Finds the files of the work that git filters would change on their way to the user's disk."""

import os
from collections.abc import Sequence

from treadle.workspace.diffs import changed_entries
from treadle.workspace.disk_tree import PLAIN_INDEX
from treadle.workspace.external_files import read_pointers
from treadle.workspace.git import Git
from treadle.workspace.git_programs import (
    EMPTY_VARIABLE,
    ChangedBlob,
    FilteredFile,
    GitPrograms,
    find_filtered,
    parse_filter_names,
    parse_programs,
)
from treadle.workspace.temporary_folders import scratch_folder
from treadle.workspace.tree_entries import FILE_MODES

_CHECK_ATTRIBUTES = ("check-attr", "-z", "--stdin")
_FILTER = "filter"


async def read_programs(git: Git) -> GitPrograms:
    """What the user's settings of all levels say now."""
    return parse_programs(await git.run("config", "--null", "--list"))


def without_programs(git: Git, programs: GitPrograms) -> Git:
    """The same git, with which no filter runs."""
    silent = git.with_variables(**{EMPTY_VARIABLE: ""})
    return silent.with_options(*programs.switched_off)


async def find_filtered_files(
    git: Git, programs: GitPrograms, before: str, after: str
) -> tuple[FilteredFile, ...]:
    """The files that differ between two commits and would need a filter on disk.

    Attributes of the later commit count, and those that are on disk now: git may use either while
    it writes files.
    """
    if not any(each.writes_other_bytes for each in programs.filters.values()):
        return ()
    changed = await _changed_blobs(git, before, after)
    if not changed:
        return ()
    names = b"".join(os.fsencode(each.path) + b"\0" for each in changed)
    on_disk = await git.run(*_CHECK_ATTRIBUTES, _FILTER, stdin=names)
    with scratch_folder() as folder:
        indexed_git = git.with_index(folder / "index")
        await indexed_git.run(*PLAIN_INDEX, "read-tree", after)
        of_work = await indexed_git.run(*_CHECK_ATTRIBUTES, "--cached", _FILTER, stdin=names)
    attributes = [parse_filter_names(on_disk), parse_filter_names(of_work)]
    used = {name for each in attributes for name in each.values()}
    pointers: frozenset[str] = frozenset()
    if any(each.is_lfs for name, each in programs.filters.items() if name in used):
        pointers = frozenset(await read_pointers(git, {each.blob for each in changed}))
    return find_filtered(programs, changed, attributes, pointers)


async def _changed_blobs(git: Git, before: str, after: str) -> Sequence[ChangedBlob]:
    """The files that were added or changed; neither links nor submodules have filters."""
    return [
        ChangedBlob(entry.path, entry.object)
        for entry in await changed_entries(git, before, after)
        if entry.mode in FILE_MODES
    ]
