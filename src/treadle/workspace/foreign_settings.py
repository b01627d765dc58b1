"""Finds agent settings that a repository contains; none of them is loaded."""

from pathlib import Path

# Each could make an agent run programs or follow instructions that the user has not reviewed.
AGENT_SETTINGS = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks",
    ".claude/agents",
    ".claude/commands",
    ".claude/skills",
    ".claude/plugins",
    ".mcp.json",
)


def find_agent_settings(workspace: Path) -> tuple[str, ...]:
    """The settings that exist; a link counts, even a broken one."""
    existing = (
        name
        for name in AGENT_SETTINGS
        if (workspace / name).is_symlink() or _exists(workspace, name)
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
