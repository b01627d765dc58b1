"""Decides which host paths a sandboxed process sees, and whether it may write them. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path
from typing import Literal

from treadle.domain.sandbox import Confinement, SandboxFailed

PathKind = Literal["absent", "file", "directory", "link", "other"]
Access = Literal["read", "write"]

# In the clone's git directory: what git would run or read at somebody else's word.
GIT_PROTECTED = (".git/config", ".git/hooks", ".git/objects/info/alternates")
# In the private home: what shells and git run at their start, by which the agent itself would run
# what an earlier session left there, before the launcher can separate the two.
START_FILES = (
    *(".bashrc", ".bash_profile", ".bash_logout", ".profile", ".gitconfig"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"),
)
START_FOLDERS = (".config/git",)


@dataclass(frozen=True, slots=True)
class Mount:
    """A path of the host under its own name."""

    path: Path
    access: Access


@dataclass(frozen=True, slots=True)
class MountLayout:
    """What is mounted, in order, and what must be made on the host first to mount upon."""

    mounts: tuple[Mount, ...]
    folders: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()


def plan_mounts(
    within: Confinement, kind_of: Callable[[Path], PathKind]
) -> MountLayout | SandboxFailed:
    """Wider paths before narrower ones, so that the narrower holds; what is protected comes last.

    A protected path that does not exist is made: as an empty directory in the workspace, because
    git sees no empty directories, and so it is in no commit.
    """
    for path in (within.workspace, within.home):
        if kind_of(path) != "directory":
            return SandboxFailed(f"{path} is to be confined in, and is no directory")
    roots = _roots(within)
    writable = [mount.path for mount in roots if mount.access == "write"]
    sealed = _protected_paths(within, writable, kind_of)
    pins = _pinned_folders(
        (*sealed, *(root.path for root in roots if root.access == "read")), writable
    )
    for path in (*pins, *sealed):
        if kind_of(path) in ("link", "other"):
            return SandboxFailed(
                f"{path} cannot be protected: it is a link, or no ordinary file",
                hint="put an ordinary file or directory in its place, and commit that",
            )
    new = [path for path in (*pins, *sealed) if kind_of(path) == "absent"]
    files = [within.home / name for name in START_FILES]
    return MountLayout(
        mounts=(
            *_by_depth([*roots, *(Mount(path, "write") for path in pins)]),
            *_by_depth(Mount(path, "read") for path in sealed),
        ),
        folders=tuple(path for path in new if path not in files),
        files=tuple(path for path in new if path in files),
    )


def _roots(within: Confinement) -> list[Mount]:
    """Each path once; where it is asked for in both ways, it can be written."""
    write = dict.fromkeys((within.workspace, within.home, *within.writable))
    read = (path for path in dict.fromkeys(within.readable) if path not in write)
    return [*(Mount(path, "read") for path in read), *(Mount(path, "write") for path in write)]


def _protected_paths(
    within: Confinement, writable: Sequence[Path], kind_of: Callable[[Path], PathKind]
) -> list[Path]:
    asked = [Path(normpath(within.workspace / path)) for path in within.protected]
    git = within.workspace / ".git"
    if kind_of(git) == "directory":
        asked += [within.workspace / name for name in GIT_PROTECTED]
    elif kind_of(git) != "absent":
        asked.append(git)  # a file that names the real one
    asked += [within.home / name for name in (*START_FILES, *START_FOLDERS)]
    # Elsewhere it is out of reach as it is, and a mount would only show it.
    inside = [path for path in asked if any(is_below(path, root) for root in writable)]
    return list(dict.fromkeys(_nearest_file(path, writable, kind_of) for path in inside))


def _nearest_file(
    path: Path, writable: Sequence[Path], kind_of: Callable[[Path], PathKind]
) -> Path:
    """The path, or the file above it that would have to go before the path could be."""
    files = (above for above in _folders_above(path, writable) if kind_of(above) == "file")
    return next(files, path)


def _pinned_folders(paths: Iterable[Path], writable: Sequence[Path]) -> list[Path]:
    """Directories above a mount: they could be renamed and replaced if they were no mounts, too."""
    return list(dict.fromkeys(above for path in paths for above in _folders_above(path, writable)))


def _folders_above(path: Path, writable: Sequence[Path]) -> list[Path]:
    """What lies above the path and in a directory that can be written, from the top down."""
    roots = [root for root in writable if is_below(path, root)]
    if not roots:
        return []
    top = min(roots, key=lambda root: len(root.parts))
    names = path.parts[len(top.parts) : -1]
    above = (top.joinpath(*names[: depth + 1]) for depth in range(len(names)))
    return [folder for folder in above if folder not in writable]


def is_below(path: Path, root: Path) -> bool:
    """Whether a path lies below another. By their text: paths are slow to take apart, and this is
    asked some thousand times before each session."""
    return path != root and str(path).startswith(f"{str(root).rstrip('/')}/")


def _by_depth(mounts: Iterable[Mount]) -> list[Mount]:
    return sorted(mounts, key=lambda mount: len(mount.path.parts))
