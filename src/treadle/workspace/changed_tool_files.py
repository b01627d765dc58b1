"""Finds what tools obey by themselves among the changes of some work, in the user's repository."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from treadle.domain.check import FileChange
from treadle.domain.events.work import ToolFile
from treadle.policy.tool_files import ChangeFacts, ToolFileSettings, find_tool_files
from treadle.workspace.blob_texts import split_batch
from treadle.workspace.diffs import ChangedEntry, changed_entries
from treadle.workspace.embedded_repositories import embedded_repositories
from treadle.workspace.git import Git
from treadle.workspace.project import Project
from treadle.workspace.start_sources import find_started_files
from treadle.workspace.tree_entries import LINK_MODE
from treadle.workspace.uncovered_files import find_uncovering

MOST_LINKS = 10_000
_LONGEST_TARGET = 4_096
# Of a link that is not read: it may lead anywhere.
UNREAD_TARGET = "/"


@dataclass(frozen=True, slots=True)
class LandingRules:
    """What the user has decided about such files, which folders git ignores, and the commands of
    the user's settings that Treadle runs at each tool use."""

    settings: ToolFileSettings
    is_ignored_folder: Callable[[str], bool]
    hooks: tuple[str, ...] = ()


async def find_changed_tool_files(
    project: Project, before: str, after: str, rules: LandingRules
) -> tuple[ToolFile, ...]:
    """The files between two commits that tools obey by themselves, what needs a question first."""
    entries = await changed_entries(project.git, before, after)
    changes = tuple(FileChange(entry.path, entry.change) for entry in entries)
    paths = [entry.path for entry in entries]
    if not paths:
        return ()
    facts = ChangeFacts(
        links=await changed_links(project.git, entries),
        is_ignored_folder=rules.is_ignored_folder,
        repositories=await embedded_repositories(project.git, after, paths),
        started=await find_started_files(project, before, paths, rules.hooks),
        uncovering=await find_uncovering(project, before, after, paths),
    )
    return find_tool_files(changes, rules.settings, facts)


async def changed_links(git: Git, changes: Iterable[ChangedEntry]) -> dict[str, str]:
    """The targets of new and changed links by path."""
    blobs = {entry.path: entry.object for entry in changes if entry.mode == LINK_MODE}
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
