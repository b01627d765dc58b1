"""What no agent of a run changes besides what is protected anyway: the user's hooks, and the paths
of `verify.protect`."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from treadle.domain.errors import SettingsError
from treadle.policy.protected_paths import covers, has_pattern, is_protectable
from treadle.policy.user_hooks import find_hook_files
from treadle.settings.definitions import Settings

# A sandbox takes each path by itself. What is beyond this is kept out of commits all the same.
MAX_SEALED = 256
MAX_VISITED = 50_000
_NOT_LOOKED_INTO = frozenset({".git", ".treadle", "node_modules"})


def configured_paths(settings: Settings) -> tuple[str, ...]:
    """The paths and patterns of `verify.protect`; one that cannot be kept is refused."""
    for path in settings.verify.protect:
        if not is_protectable(path):
            raise SettingsError(
                f"verify.protect: {path!r} is not a path inside the project",
                hint='name files or directories from its top, such as "tests/contract"',
            )
    return settings.verify.protect


def protected_paths(settings: Settings, root: Path) -> tuple[str, ...]:
    """As the policy and the screening of commits take them: paths, and patterns as they are."""
    kept = configured_paths(settings)
    hooks = hook_files(settings.hooks.before_tool_use, root)
    return tuple(dict.fromkeys((*hooks, *kept, *_led_to(kept, root))))


def sealed_paths(settings: Settings, workspace: Path, checkout: Path) -> tuple[str, ...]:
    """As a sandbox takes them: paths that can be sealed in the workspace.

    Patterns stand for what they fit in the user's own checkout, where no agent adds to it. A path
    that is not there yet is sealed unless it looks like a file: it would be an empty directory.
    """
    protected = protected_paths(settings, workspace)
    named = [path for path in protected if _is_literal(path, workspace)]
    fitting = _fitting([path for path in protected if path not in named], checkout)
    sealable = (path for path in dict.fromkeys((*named, *fitting)) if _can_seal(path, workspace))
    return tuple(sealable)


def _is_literal(path: str, root: Path) -> bool:
    return not has_pattern(path) or os.path.lexists(root / path)


def _led_to(kept: Iterable[str], root: Path) -> Iterator[str]:
    """Where links in the project lead from these paths: that is what is meant to be kept."""
    top = root.resolve()
    for path in kept:
        place = (top / path).resolve()
        if _is_literal(path, root) and place != top and place.is_relative_to(top):
            yield place.relative_to(top).as_posix()


def _can_seal(path: str, workspace: Path) -> bool:
    """No link can be sealed, nor what lies behind one."""
    place = workspace
    for part in PurePosixPath(path).parts:
        if place.is_file():
            return False
        place = place / part
        if place.is_symlink():
            return False
    return place.is_file() or place.is_dir() or not (place.exists() or "." in place.name)


def _fitting(patterns: Sequence[str], checkout: Path) -> Iterator[str]:
    """The widest paths that fit a pattern, so that few are many files."""
    if not patterns:
        return
    seen = found = 0
    for folder, folders, files in os.walk(checkout):
        below = Path(folder).relative_to(checkout)
        kept = [name for name in (*folders, *files) if _fits(patterns, below / name)]
        yield from sorted((below / name).as_posix() for name in kept)
        seen, found = seen + len(folders) + len(files), found + len(kept)
        if seen > MAX_VISITED or found > MAX_SEALED:
            return
        folders[:] = sorted(set(folders) - set(kept) - _NOT_LOOKED_INTO)


def _fits(patterns: Sequence[str], path: Path) -> bool:
    inside = PurePosixPath(path.as_posix())
    return any(covers(pattern, inside) for pattern in patterns)


def hook_files(commands: Sequence[str], workspace: Path) -> tuple[str, ...]:
    """Files of the workspace that the user's hooks are made of: no agent changes them."""
    return tuple(name for name in find_hook_files(commands) if (workspace / name).is_file())
