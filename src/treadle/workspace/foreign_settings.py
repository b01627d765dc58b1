"""Finds agent settings that a repository contains; none of them is loaded."""

from pathlib import Path

# Each could make an agent run or obey something that the user of this run never saw.
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
    """Those that are there; a link counts, wherever it leads."""
    found = (
        name
        for name in AGENT_SETTINGS
        if (workspace / name).is_symlink() or _is_there(workspace, name)
    )
    return tuple(found)


def ignored_settings_notice(brought: tuple[str, ...]) -> str:
    """One sentence for the person who started the run; empty when nothing was brought."""
    if not brought:
        return ""
    them = "they are" if len(brought) > 1 else "it is"
    return (
        f"the project has {', '.join(brought)}: {them} not loaded; hooks, servers and tools "
        "of a run come from treadle.toml"
    )


def _is_there(workspace: Path, name: str) -> bool:
    path = workspace / name
    try:
        # An empty directory says nothing: sandboxes put some where nothing may be written.
        return any(path.iterdir()) if path.is_dir() else path.exists()
    except OSError:
        return True
