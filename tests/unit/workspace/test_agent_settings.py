"""Agent settings in a repository are reported and not loaded."""

from pathlib import Path

from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.workspace.project import find_agent_settings, ignored_settings_notice


def test_a_project_without_any_has_no_notice(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("Be good.")
    (tmp_path / ".claude").mkdir()
    # As a sandbox leaves it where nothing may be written.
    (tmp_path / ".mcp.json").mkdir()

    assert find_agent_settings(tmp_path, CLAUDE.project_settings) == ()
    assert ignored_settings_notice(()) == ""


def test_settings_hooks_servers_and_sub_agents_are_named(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "agents").mkdir(parents=True)
    (tmp_path / ".claude" / "agents" / "tester.md").write_text("Test it.")
    (tmp_path / ".claude" / "settings.json").write_text("{}")
    (tmp_path / ".mcp.json").symlink_to("/nowhere")

    brought = find_agent_settings(tmp_path, CLAUDE.project_settings)

    assert brought == (".claude/settings.json", ".claude/agents", ".mcp.json")
    assert ignored_settings_notice(brought) == (
        "the project has .claude/settings.json, .claude/agents, .mcp.json: they are not loaded; "
        "hooks, servers and tools of a run come from treadle.toml"
    )


def test_one_is_named_alone() -> None:
    assert ignored_settings_notice((".mcp.json",)).startswith(
        "the project has .mcp.json: it is not loaded; "
    )
