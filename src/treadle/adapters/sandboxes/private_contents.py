"""Finds what the directory of a toolchain holds besides the toolchain: logins of package tools,
and packages and environments of other projects."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from treadle.adapters.sandboxes.toolchains import is_within
from treadle.domain.sandbox import Confinement

# In every sandbox, whatever languages a project uses.
SYSTEM_ROOTS = (Path("/usr"), Path("/usr/local"))
# Names of files in which tools keep logins, or addresses with a password.
_LOGINS = re.compile(
    r"\.?condarc|\.?mambarc|pip\.(?:conf|ini)|\.?npmrc|\.?yarnrc(?:\.yml)?|[._]?netrc|\.?pypirc"
    r"|\.?gemrc|bunfig\.toml|uv\.toml|auth\.(?:json|toml)|\.env(?:\..+)?|\.git-credentials|\.pgpass"
    r"|\.?credentials(?:\.(?:json|toml|ya?ml|db))?|\.vault-token",
    re.IGNORECASE,
)
# Only there, and only so deep: elsewhere a file of such a name is a module of a library.
_CONFIGURATION = "etc"
_MOST_STEPS = 3
_MOST_ENTRIES = 5000
# Clones, module caches of Go, and of conda the other environments, packages and settings.
_FOLDERS = (".git", "pkg/mod", "pkg/sumdb", "cache/vcs", ".ssh", ".aws", ".conda", ".continuum")
_CONDA_MARK = "conda-meta"
_CONDA = ("envs", "pkgs", "conda-bld", "condarc.d", "conda-meta/state", "conda-meta/history")


def find_private_contents(roots: Iterable[Path]) -> tuple[Path, ...]:
    """Files and directories below these roots that no sandbox may show the content of."""
    found = (path for root in roots if root.is_dir() for path in _private_below(root))
    return tuple(dict.fromkeys(found))


def names_in_sight(within: Confinement, always_mounted: Iterable[Path]) -> tuple[Path, ...]:
    """The names under which a sandbox would show what is emptied. Nothing can be mounted on a link
    or behind one, nor in a directory that is empty itself."""
    shown = {above: above.resolve() for above in (*always_mounted, *within.readable)}
    targets = [path.resolve() for path in within.emptied if path.exists()]
    names = dict.fromkeys(
        above / target.relative_to(real)
        for target in targets
        for above, real in shown.items()
        if is_within(target, real)
    )
    folders = {name for name in names if name.is_dir()} - shown.keys()
    return tuple(
        name
        for name in names
        if next((above for above in name.parents if above in {*shown, *folders}), None)
        not in folders
    )


def _private_below(root: Path) -> Iterator[Path]:
    folders = (*_FOLDERS, *(_CONDA if (root / _CONDA_MARK).is_dir() else ()))
    yield from (root / name for name in folders if (root / name).exists())
    yield from (root / name for name in _names_of(root) if _LOGINS.fullmatch(name))
    yield from _logins_in(root / _CONFIGURATION)


def _logins_in(folder: Path) -> Iterator[Path]:
    """Those of a directory of settings and of what is in it."""
    entries = 0
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in sorted(files) if _LOGINS.fullmatch(name))
        entries += len(files) + len(folders)
        if entries > _MOST_ENTRIES or len(Path(place).relative_to(folder).parts) >= _MOST_STEPS:
            folders.clear()


def _names_of(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  names alone are looked at
    except OSError:
        return []
