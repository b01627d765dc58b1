"""Finds the object directories behind a repository: its own and its alternates."""

from pathlib import Path

# Git itself follows alternates no deeper.
DEEPEST = 5


def object_directories(git_dir: Path) -> tuple[Path, ...]:
    """Every directory of objects behind a project's git directory, its own first.

    Read from the user's repository and not from the clone, which an agent can write to.
    """
    found: dict[Path, None] = {}
    level = [(_common_git_dir(git_dir) / "objects").resolve()]
    for _ in range(DEEPEST + 1):
        level = [objects for objects in level if objects.is_dir() and objects not in found]
        found.update(dict.fromkeys(level))
        level = [further for objects in level for further in _read_alternates(objects)]
    return tuple(found)


def _common_git_dir(git_dir: Path) -> Path:
    """The git directory that holds the objects: of a linked worktree, the main one's."""
    try:
        return git_dir / (git_dir / "commondir").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return git_dir


def _read_alternates(objects: Path) -> list[Path]:
    try:
        named = (objects / "info" / "alternates").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    return [
        (objects / line).resolve()
        for line in named.splitlines()
        if line and not line.startswith("#")
    ]
