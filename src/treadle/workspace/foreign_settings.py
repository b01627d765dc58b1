"""Finds agent settings that a repository contains; none of them is loaded."""

from collections.abc import Iterable
from pathlib import Path


def find_agent_settings(workspace: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the agent's own settings that exist; a link counts, even a broken one. Each could
    make an agent run programs or follow instructions that the user has not reviewed."""
    existing = (
        name for name in names if (workspace / name).is_symlink() or _exists(workspace, name)
    )
    return tuple(existing)


def ignored_settings_notice(settings: tuple[str, ...]) -> str:
    """One sentence for the user; empty if there are no such settings."""
    if not settings:
        return ""
    subject = "they are" if len(settings) > 1 else "it is"
    return (
        f"the project has {', '.join(settings)}: {subject} not loaded; hooks, servers and tools "
        "of a run come from treadle.toml"
    )


def _exists(workspace: Path, name: str) -> bool:
    path = workspace / name
    try:
        # An empty directory does not count: sandboxes create some as mount points.
        return any(path.iterdir()) if path.is_dir() else path.exists()
    except OSError:
        return True
