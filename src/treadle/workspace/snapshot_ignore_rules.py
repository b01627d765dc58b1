"""Reads the ignore rules that counted when a run started: of its commit, the user and Treadle, and
those of ignore files that are themselves ignored."""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treadle.workspace.alternates import common_git_dir
from treadle.workspace.blob_texts import ReadBounds, read_texts
from treadle.workspace.clone_git_dir import BUILD_PRODUCTS, Clone, find_excludes
from treadle.workspace.ignore_rules import IgnoreFile, IgnoreRules, parse_ignore_file
from treadle.workspace.object_integrity import without_replacements
from treadle.workspace.project import Project

IGNORE_FILE = ".gitignore"
_BOUNDS = ReadBounds(files=10_000)
_FOLDED_CASE = b"ignorecase = true"
_LONGEST_FILE = 256 * 1024
# Folders of a checkout in which ignore files that git does not track are looked for.
_MOST_VISITED = 20_000


@dataclass(frozen=True, slots=True)
class IgnoreSources:
    """A commit of the project, and what else has rules: the user's files, and further patterns."""

    project: Project
    commit: str
    files: tuple[Path, ...] = ()
    patterns: tuple[str, ...] = ()
    fold_case: bool = False


async def read_ignore_rules(clone: Clone) -> IgnoreRules:
    """The rules of the snapshot, and the user's own of all projects and of this one.

    A link in place of a folder of build products is none of the user's, either.
    """
    sources = clone.sources
    files = (sources.excludes, sources.repository / "info/exclude")
    return await read_rules(
        IgnoreSources(
            clone.project,
            clone.base,
            tuple(file for file in files if file is not None),
            tuple(pattern.removesuffix("/") for pattern in BUILD_PRODUCTS),
            _FOLDED_CASE in sources.disk_settings,
        )
    )


async def git_ignore_sources(project: Project, commit: str) -> IgnoreSources:
    """What git itself reads in the project, with this commit's ignore files."""
    excludes = await find_excludes(project)
    folds = await project.git.try_run("config", "--type=bool", "--get", "core.ignoreCase")
    files = (excludes, common_git_dir(project.git_dir) / "info/exclude")
    present = tuple(file for file in files if file is not None)
    return IgnoreSources(project, commit, present, fold_case=folds.output == "true")


async def read_rules(sources: IgnoreSources) -> IgnoreRules:
    """Build products first, so that a rule of the user's can take them out."""
    git = without_replacements(sources.project.git)
    listing = await git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", sources.commit)
    tracked = frozenset(filter(None, listing.split("\0")))
    names = [path for path in tracked if path.rpartition("/")[2] == IGNORE_FILE]
    texts = await read_texts(git, sources.commit, names, _BOUNDS)
    theirs = [_text(file) for file in sources.files]

    def parse(text: str) -> IgnoreFile:
        return parse_ignore_file(text, fold_case=sources.fold_case)

    rules = IgnoreRules(
        {path.removesuffix(IGNORE_FILE): parse(text) for path, text in texts.items()},
        parse("\n".join([*sources.patterns, *theirs])),
        tracked,
    )
    listing = await git.run("ls-files", "--others", "--directory", "-z")
    root = sources.project.root
    untracked = [path for path in listing.split("\0") if path]
    found = await asyncio.to_thread(_untracked_rules, root, untracked, rules)
    unread = {folder: parse(text) for folder, text in found.items()}
    return IgnoreRules({**unread, **rules.by_folder}, rules.everywhere, tracked)


def _untracked_rules(root: Path, untracked: list[str], rules: IgnoreRules) -> dict[str, str]:
    """The texts of ignore files that no commit has, by folder: an environment that ignores itself
    brings one. Folders that are covered anyway are not entered."""
    found: dict[str, str] = {}
    for path in untracked:
        if not path.endswith("/"):
            if path.rpartition("/")[2] == IGNORE_FILE:
                found[path.removesuffix(IGNORE_FILE)] = _text(root / path)
        elif not rules.covers_folder(path.rstrip("/")):
            found.update(_below(root, path.rstrip("/"), rules))
        if len(found) > _BOUNDS.files:
            break
    return {folder: text for folder, text in found.items() if text}


def _below(root: Path, top: str, rules: IgnoreRules) -> Iterator[tuple[str, str]]:
    for visited, (place, folders, names) in enumerate(os.walk(root / top)):
        relative = Path(place).relative_to(root).as_posix()
        if IGNORE_FILE in names:
            text = _text(Path(place) / IGNORE_FILE)
            yield f"{relative}/", text
            if "*" in text.split():
                folders.clear()  # all below is ignored
        folders[:] = sorted(
            name for name in folders if not rules.covers_folder(f"{relative}/{name}")
        )
        if visited > _MOST_VISITED:
            return


def _text(file: Path) -> str:
    try:
        if not file.is_file() or file.stat().st_size > _LONGEST_FILE:
            return ""
        return file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
