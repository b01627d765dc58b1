"""Writes the pinned tree of a commit in a throwaway git directory; the user's gets no object."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from treadle.domain.pin_plan import PinPlan
from treadle.workspace.disk_tree import PLAIN_INDEX
from treadle.workspace.git import Git
from treadle.workspace.object_integrity import without_replacements
from treadle.workspace.pinned_entries import pinned_entries
from treadle.workspace.project import Project
from treadle.workspace.temporary_folders import scratch_folder
from treadle.workspace.throwaway_git import make_throwaway_git
from treadle.workspace.tree_entries import ReadableTree


async def find_tree(project: Project, commit: str, pins: PinPlan | None = None) -> str | None:
    """The tree of a commit with these pins; None if the repository lacks one of the commits."""
    tree = await _commit_tree(project, commit)
    if tree is None or pins is None or pins.is_empty:
        return tree
    if await _commit_tree(project, pins.base) is None:
        return None
    async with open_tree(project, commit, pins) as pinned:
        return pinned.name


@asynccontextmanager
async def open_tree(
    project: Project, commit: str, pins: PinPlan | None
) -> AsyncIterator[ReadableTree]:
    """The tree of a commit with these pins, to look at before it is checked out."""
    if pins is None or pins.is_empty:
        yield ReadableTree(f"{commit}^{{tree}}", without_replacements(project.git))
        return
    with scratch_folder() as folder:
        git = make_throwaway_git(project, commit, folder / "git", folder)
        yield ReadableTree(await write_pinned_tree(git, commit, pins, folder / "index"), git)


async def write_pinned_tree(git: Git, commit: str, pins: PinPlan, index: Path) -> str:
    """Write the tree with the help of a new index; returns its name."""
    work = await ReadableTree(commit, git).entries()
    base = await ReadableTree(pins.base, git).entries()
    blobs = {
        file.path: await _write_blob(git, file.content or b"")
        for file in pins.files
        if file.action == "merged"
    }
    entries = pinned_entries(pins, work, base, blobs)
    lines = (f"{entry.mode} {entry.name}\t{entry.path}\0" for entry in entries)
    listing = os.fsencode("".join(lines))
    indexed_git = git.with_index(index)
    await indexed_git.run(*PLAIN_INDEX, "update-index", "-z", "--index-info", stdin=listing)
    return await indexed_git.run(*PLAIN_INDEX, "write-tree")


async def _write_blob(git: Git, content: bytes) -> str:
    return await git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=content)


async def _commit_tree(project: Project, commit: str) -> str | None:
    git = without_replacements(project.git)
    result = await git.try_run("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    return result.output if result.ok else None
