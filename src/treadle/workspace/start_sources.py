"""Reads what runs by itself in a project: hooks of git, its settings, and files that tools obey.

All is read from the user's checkout and git directory, where no agent writes.
"""

import asyncio
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from treadle.policy.named_files import ProjectFiles
from treadle.policy.protected_paths import OWN, protected_part
from treadle.policy.started_files import (
    StartedFiles,
    StartSource,
    aliases_of,
    find_started,
    is_document,
)
from treadle.policy.tool_files import ToolFileSettings
from treadle.workspace.alternates import common_git_dir
from treadle.workspace.git import both
from treadle.workspace.git_config_files import command_settings, find_config_files, hooks_folders
from treadle.workspace.project import Project
from treadle.workspace.tree_entries import LINK_MODE, ReadableTree, TreeEntry

_LONGEST_TEXT = 256 * 1024
_MOST_SOURCES = 2_000
_MOST_FOLDERS = 5_000
_MOST_HOOKS = 200
_EXECUTABLE = "100755"
_TEMPLATE = ".sample"
_READ_BY_DIRENV = (
    *("flake.nix", "flake.lock", "shell.nix", "default.nix"),
    *("devenv.nix", "devenv.yaml", "devenv.lock", "guix.scm", "manifest.scm"),
)


async def find_started_files(
    project: Project, snapshot: str, changed: Iterable[str], hooks: Sequence[str] = ()
) -> StartedFiles:
    """What of the project runs by itself. `changed` are paths that the work may add: a hook may
    name a file that is not there yet. `hooks` are the user's own for tool uses."""
    entries, listing = await both(
        ReadableTree(snapshot, project.git).entries(),
        project.git.run("config", "--null", "--list", "--show-origin"),
    )
    return await asyncio.to_thread(_find, project, entries, listing, (tuple(changed), hooks))


def _find(
    project: Project,
    entries: Sequence[TreeEntry],
    listing: str,
    given: tuple[tuple[str, ...], Sequence[str]],
) -> StartedFiles:
    root, (changed, own_hooks) = project.root, given
    tracked = [entry.path for entry in entries]
    untracked = list(_untracked_rule_files(root, frozenset(tracked)))
    paths = frozenset((*tracked, *untracked, *changed))
    links = {entry.path for entry in entries if entry.mode == LINK_MODE}
    links.update(path for path in untracked if (root / path).is_symlink())
    executable = [entry.path for entry in entries if entry.mode == _EXECUTABLE]
    files = ProjectFiles.of(paths, executable, dict(_targets(root, links)))
    git_files = find_config_files(listing, root, project.git_dir, Path.is_file)
    started = {path: "your git settings run it" for path in git_files if (root / path).is_file()}
    sources = [
        *(StartSource("a hook of your settings", "", command) for command in own_hooks),
        *(
            StartSource(f"your git setting {key}", "", value)
            for key, value in command_settings(listing)
        ),
    ]
    folders = (common_git_dir(project.git_dir) / "hooks", *hooks_folders(listing, root))
    for hook in _hooks(folders):
        inside = _inside(hook, root)
        if inside in paths:
            started[inside] = f"git runs it as its hook {hook.name}"
        else:
            sources.append(StartSource(f"the git hook {hook.name}", "", _read(hook)))
    linked = StartedFiles(aliases=aliases_of(files.links, files))
    rule_files = (
        path
        for path in (*tracked, *untracked)
        if _has_rule(path) or any(map(_has_rule, linked.other_paths(path)))
    )
    for path in islice(rule_files, _MOST_SOURCES):
        sources.append(StartSource(path, files.find(path) or path, _read(root / path)))
        started.update(dict(_beside_envrc(path, paths)))
    return find_started(sources, started, files, lambda path: _read(root / path), project.searched)


def _has_rule(path: str) -> bool:
    """Whether tools obey the file by themselves, and it can name others. What Treadle's own files
    name runs in a sandbox, or is one of the user's hooks."""
    if is_document(path) or path.partition("/")[0] in OWN:
        return False
    if protected_part(PurePosixPath(path)) is not None:
        return True
    rule = ToolFileSettings().match(path)
    return rule is not None and rule.effect != "named"


def _beside_envrc(path: str, paths: frozenset[str]) -> Iterator[tuple[str, str]]:
    """What direnv evaluates for an `.envrc`, mostly without its name in it."""
    folder, _, name = path.rpartition("/")
    for other in _READ_BY_DIRENV if name == ".envrc" else ():
        place = f"{folder}/{other}" if folder else other
        if place in paths:
            yield place, f"direnv reads it for {path}"


def _untracked_rule_files(root: Path, tracked: frozenset[str]) -> Iterator[str]:
    """Files that tools obey and that git ignores, such as `.envrc`, in folders of the project."""
    folders = {"", *(path.rpartition("/")[0] for path in tracked)}
    for folder in sorted(folders)[:_MOST_FOLDERS]:
        for name in _names(root / folder):
            path = f"{folder}/{name}" if folder else name
            if path in folders or name == ".git" or not _has_rule(path):
                continue
            if (root / path).is_dir() and not (root / path).is_symlink():
                yield from (each for each in _below(root, path) if each not in tracked)
            elif path not in tracked:
                yield path


def _below(root: Path, folder: str) -> Iterator[str]:
    count = 0
    for place, folders, names in os.walk(root / folder):
        folders.sort()
        for name in sorted(names):
            count += 1
            if count > _MOST_HOOKS:
                return
            yield (Path(place) / name).relative_to(root).as_posix()


def _names(folder: Path) -> list[str]:
    try:
        return sorted(each.name for each in folder.iterdir())
    except OSError:
        return []


def _hooks(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in dict.fromkeys(folders):
        names = [name for name in _names(folder) if not name.endswith(_TEMPLATE)]
        yield from (folder / name for name in names[:_MOST_HOOKS])


def _inside(path: Path, root: Path) -> str:
    try:
        target = path.resolve()
    except (OSError, RuntimeError):
        return ""
    return target.relative_to(root).as_posix() if target.is_relative_to(root) else ""


def _targets(root: Path, links: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Where links lead; one with an absolute target may lead back into the project."""
    for link in links:
        try:
            target = str((root / link).readlink())
        except OSError:
            continue
        if target.startswith("/"):
            folder = (root / link).parent
            target = os.path.relpath(target, folder)
        yield link, target


def _read(path: Path) -> str:
    """The text of a file; empty for one that is too long, is not a plain file or is no text."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LONGEST_TEXT:
            return ""
        content = os.read(descriptor, _LONGEST_TEXT)
    finally:
        os.close(descriptor)
    return "" if b"\0" in content else content.decode(errors="replace")
