"""Finds the files of a project that no agent may change, and those that a sandbox can seal."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from treadle.policy.protected_paths import (
    EXECUTED_CONFIG,
    covers,
    has_pattern,
    protected_name,
)
from treadle.policy.user_hooks import find_hook_files
from treadle.workspace.git_config_files import find_config_files
from treadle.workspace.project import Project
from treadle.workspace.tree_entries import LINK_MODE

# A sandbox seals each path separately. Commits exclude the paths beyond this limit, too.
MAX_SEALED = 256
MAX_VISITED = 50_000
_SKIPPED_FOLDERS = frozenset({".git", ".treadle", "node_modules"})


def find_protected(configured: Sequence[str], hooks: Sequence[str], root: Path) -> tuple[str, ...]:
    """The configured paths and patterns, and the files that the user's hooks use."""
    files = _hook_files(hooks, root)
    return tuple(dict.fromkeys((*files, *configured, *_link_targets(configured, root))))


async def find_git_files(project: Project) -> tuple[str, ...]:
    """The files of the project that the user's git settings make git run or read, and those that
    protected links lead to."""
    listing = await project.git.run("config", "--null", "--list", "--show-origin")
    configured = find_config_files(listing, project.root, project.git_dir, Path.is_file)
    staged = await project.git.run("ls-files", "--stage", "-z")
    entries = (entry.partition("\t") for entry in staged.split("\0"))
    tracked = [path for head, _, path in entries if head.startswith(LINK_MODE)]
    links = [
        path
        for path in (*tracked, *EXECUTED_CONFIG)
        if protected_name(PurePosixPath(path).parts) and (project.root / path).is_symlink()
    ]
    # A link to what is no file of the project, such as its top, protects nothing.
    return tuple(dict.fromkeys((*configured, *_link_targets(links, project.root))))


def find_sealable(protected: Sequence[str], workspace: Path, checkout: Path) -> tuple[str, ...]:
    """The protected paths that a sandbox can seal in the workspace.

    Patterns are matched in the user's checkout, where no agent can add files. A missing path is
    sealed as an empty directory, unless it looks like a file.
    """
    literal = [path for path in protected if _is_literal(path, workspace)]
    matching = _matching_paths([path for path in protected if path not in literal], checkout)
    sealable = (path for path in dict.fromkeys((*literal, *matching)) if _can_seal(path, workspace))
    return tuple(sealable)


def _is_literal(path: str, root: Path) -> bool:
    return not has_pattern(path) or os.path.lexists(root / path)


def _link_targets(paths: Iterable[str], root: Path) -> Iterator[str]:
    """The targets of those paths that are links inside the project: they need protection, too."""
    top = root.resolve()
    for path in paths:
        target = (top / path).resolve()
        if _is_literal(path, root) and target != top and target.is_relative_to(top):
            yield target.relative_to(top).as_posix()


def _can_seal(path: str, workspace: Path) -> bool:
    """Neither a link nor a path behind a link can be sealed."""
    target = workspace
    for part in PurePosixPath(path).parts:
        if target.is_file():
            return False
        target = target / part
        if target.is_symlink():
            return False
    return target.is_file() or target.is_dir() or not (target.exists() or "." in target.name)


def _matching_paths(patterns: Sequence[str], checkout: Path) -> Iterator[str]:
    """The topmost paths that match a pattern, so that few paths cover many files."""
    if not patterns:
        return
    visited = matched = 0
    for folder, folders, files in os.walk(checkout):
        relative = Path(folder).relative_to(checkout)
        names = [name for name in (*folders, *files) if _matches(patterns, relative / name)]
        yield from sorted((relative / name).as_posix() for name in names)
        visited, matched = visited + len(folders) + len(files), matched + len(names)
        if visited > MAX_VISITED or matched > MAX_SEALED:
            return
        folders[:] = sorted(set(folders) - set(names) - _SKIPPED_FOLDERS)


def _matches(patterns: Sequence[str], path: Path) -> bool:
    posix_path = PurePosixPath(path.as_posix())
    return any(covers(pattern, posix_path) for pattern in patterns)


def _hook_files(commands: Sequence[str], workspace: Path) -> tuple[str, ...]:
    """The files of the workspace that the user's hooks use."""
    return tuple(name for name in find_hook_files(commands) if (workspace / name).is_file())
