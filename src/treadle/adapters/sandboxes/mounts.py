"""Decides which host paths a sandboxed process sees, and whether it may write them. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path
from typing import Literal

from treadle.domain.sandbox import Access, Confinement, SandboxFailed

PathKind = Literal["absent", "file", "directory", "link", "other"]

# In the clone: git runs these files, or reads objects and settings that they name.
GIT_PROTECTED = (".git/config", ".git/hooks", ".git/objects/info/alternates")
# In the private home: shells and git read these when they start. The agent's own shell would run
# what an earlier command left there, without the launcher.
START_FILES = (
    *(".bashrc", ".bash_profile", ".bash_logout", ".profile", ".gitconfig"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"),
)
START_FOLDERS = (".config/git",)


@dataclass(frozen=True, slots=True)
class Mount:
    """A path of the host under its own name; `none`: a directory that is empty inside."""

    path: Path
    access: Access | Literal["none"]


@dataclass(frozen=True, slots=True)
class MountLayout:
    """The mounts in their order, and the mount points that must be created on the host first."""

    mounts: tuple[Mount, ...]
    folders: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()


def plan_mounts(
    within: Confinement, kind_of: Callable[[Path], PathKind]
) -> MountLayout | SandboxFailed:
    """Wide paths come before narrow ones, so that the narrow ones apply; protected paths come last.

    A protected path that does not exist in the workspace is created as an empty directory, which
    git ignores, so it gets into no commit.
    """
    for path in (within.workspace, within.home):
        if kind_of(path) != "directory":
            return SandboxFailed(f"{path} cannot confine the agent: it is not a directory")
    roots = _roots(within)
    writable = [mount.path for mount in roots if mount.access == "write"]
    protected = _protected_paths(within, writable, kind_of)
    pinned = _pinned_folders(
        (*protected, *(root.path for root in roots if root.access == "read")), writable
    )
    for path in (*pinned, *protected):
        if kind_of(path) in ("link", "other"):
            return SandboxFailed(
                f"{path} cannot be protected: it is a link, or not an ordinary file",
                hint="put an ordinary file or directory in its place, and commit that",
            )
    new = [path for path in (*pinned, *protected) if kind_of(path) == "absent"]
    files = [within.home / name for name in START_FILES]
    return MountLayout(
        mounts=(
            *_by_depth(
                [
                    *roots,
                    *(Mount(path, "write") for path in pinned),
                    *_emptied_folders(within, roots, kind_of),
                ]
            ),
            *_by_depth(Mount(path, "read") for path in protected),
        ),
        folders=tuple(path for path in new if path not in files),
        files=tuple(path for path in new if path in files),
    )


def _roots(within: Confinement) -> list[Mount]:
    """Each path once; one that is both readable and writable is writable."""
    own = (within.workspace,) if within.workspace_access == "write" else ()
    write = dict.fromkeys((*own, within.home, *within.writable))
    readable = dict.fromkeys((within.workspace, *within.readable))
    read = (path for path in readable if path not in write)
    return [*(Mount(path, "read") for path in read), *(Mount(path, "write") for path in write)]


def _emptied_folders(
    within: Confinement, roots: Sequence[Mount], kind_of: Callable[[Path], PathKind]
) -> list[Mount]:
    """Those in sight. A path that is named itself is shown all the same, and so is what is named
    below an emptied directory."""
    named = {mount.path for mount in roots}
    return [
        Mount(path, "none")
        for path in within.emptied
        if path not in named and kind_of(path) == "directory"
    ]


def _protected_paths(
    within: Confinement, writable: Sequence[Path], kind_of: Callable[[Path], PathKind]
) -> list[Path]:
    paths = [Path(normpath(within.workspace / path)) for path in within.protected]
    git = within.workspace / ".git"
    if kind_of(git) == "directory":
        paths += [within.workspace / name for name in GIT_PROTECTED]
    elif kind_of(git) != "absent":
        paths.append(git)  # a file that names the git directory
    paths += [within.home / name for name in (*START_FILES, *START_FOLDERS)]
    # Other paths are out of reach already, and a mount would expose them.
    inside = [path for path in paths if any(is_below(path, root) for root in writable)]
    return list(dict.fromkeys(_nearest_file(path, writable, kind_of) for path in inside))


def _nearest_file(
    path: Path, writable: Sequence[Path], kind_of: Callable[[Path], PathKind]
) -> Path:
    """The path, or the file above it, where a directory would have to be."""
    files = (above for above in _folders_above(path, writable) if kind_of(above) == "file")
    return next(files, path)


def _pinned_folders(paths: Iterable[Path], writable: Sequence[Path]) -> list[Path]:
    """Directories above a mount, which are mounted too: otherwise they could be renamed."""
    return list(dict.fromkeys(above for path in paths for above in _folders_above(path, writable)))


def _folders_above(path: Path, writable: Sequence[Path]) -> list[Path]:
    """The directories between the path and the topmost writable one, from the top down."""
    roots = [root for root in writable if is_below(path, root)]
    if not roots:
        return []
    top = min(roots, key=lambda root: len(root.parts))
    names = path.parts[len(top.parts) : -1]
    above = (top.joinpath(*names[: depth + 1]) for depth in range(len(names)))
    return [folder for folder in above if folder not in writable]


def is_below(path: Path, root: Path) -> bool:
    """Whether a path is below another. It compares text, because `Path.parents` is slow and this
    runs thousands of times before each session."""
    return path != root and str(path).startswith(f"{str(root).rstrip('/')}/")


def _by_depth(mounts: Iterable[Mount]) -> list[Mount]:
    return sorted(mounts, key=lambda mount: len(mount.path.parts))
