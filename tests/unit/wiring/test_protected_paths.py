"""Which paths `verify.protect` may name, and which programs are protected like them."""

from dataclasses import replace
from pathlib import Path

import pytest

from treadle.domain.errors import SettingsError
from treadle.settings.definitions import AgentSettings, Settings, VerifySettings
from treadle.settings.environment import parse_environment
from treadle.wiring.protected_paths import agent_program_files, configured_paths


@pytest.mark.parametrize("path", ["", "/etc", "../x", "*"])
def test_what_is_not_a_part_of_the_project_is_refused_with_what_to_write(path: str) -> None:
    settings = replace(Settings(), verify=VerifySettings(protect=("tests", path)))

    with pytest.raises(SettingsError, match=r"verify\.protect: .* is not a path inside") as raised:
        configured_paths(settings)

    assert "tests/contract" in raised.value.hint


@pytest.mark.parametrize(
    ("setting", "variable", "files"),
    [
        ("tools/claude", "", ("tools/claude",)),
        ("./tools/../bin/claude", "", ("bin/claude",)),
        ("{project}/tools/claude", "", ("tools/claude",)),
        ("", "{project}/bin/claude", ("bin/claude",)),
        ("", "tools/claude", ("tools/claude",)),
        ("tools/link", "", ("tools/link", "tools/claude")),
        ("{project}/../outside", "", ("tools/claude",)),
        ("claude", "claude", ()),
        ("/opt/claude", "", ()),
        ("", "", ()),
    ],
)
def test_the_agents_program_is_protected_if_it_is_in_the_project(
    tmp_path: Path, setting: str, variable: str, files: tuple[str, ...]
) -> None:
    project = tmp_path / "project"
    (project / "tools").mkdir(parents=True)
    (project / "tools/claude").touch()
    (project / "tools/link").symlink_to("claude")
    (tmp_path / "outside").symlink_to("project/tools/claude")
    raw = {"HOME": str(tmp_path), "CLAUDE_BIN": variable.format(project=project)}
    settings = AgentSettings(binary=setting.format(project=project))

    assert agent_program_files(settings, parse_environment(raw), project) == files
