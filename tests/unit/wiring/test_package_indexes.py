"""The logins of all package tools are known to every run, whatever indexes it may use."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.workspace.real_git import repository_in
from treadle.settings.definitions import PolicySettings, Settings
from treadle.settings.environment import parse_environment
from treadle.settings.sandbox_definitions import SandboxSettings
from treadle.wiring.package_indexes import PackageLogins, find_sandbox_indexes
from treadle.workspace.project import find_project

OPEN, CLOSED = SandboxSettings(indexes="open"), SandboxSettings(indexes="closed")


@pytest.mark.parametrize(
    ("sandbox", "profiles", "used"),
    [
        (OPEN, (), ("https://a.example/",)),
        (OPEN, ("node",), ("https://a.example/",)),
        (OPEN, ("ruby",), ()),
        (CLOSED, (), None),
        (CLOSED, ("node",), None),
    ],
)
async def test_a_login_is_found_though_its_index_is_not_used(
    tmp_path: Path,
    sandbox: SandboxSettings,
    profiles: tuple[str, ...],
    used: tuple[str, ...] | None,
) -> None:
    user = repository_in(tmp_path)
    npmrc = tmp_path / "nvm/etc/npmrc"
    npmrc.parent.mkdir(parents=True)
    npmrc.write_text("registry=https://a.example/\n//a.example/:_authToken=hunter2-token\n")
    npm = tmp_path / "nvm/bin/npm"
    npm.parent.mkdir()
    npm.write_text(f"""#!/bin/sh\necho '{{"globalconfig": "{npmrc}"}}'\n""")
    npm.chmod(0o755)
    environment = parse_environment({"HOME": str(tmp_path / "home"), "PATH": str(npm.parent)})
    settings = replace(Settings(), sandbox=sandbox, policy=PolicySettings(profiles=profiles))

    indexes, logins = await find_sandbox_indexes(
        settings, environment, await find_project(user.path, user.environment)
    )

    nodes = (
        None
        if indexes is None
        else tuple(each.url for each in indexes.indexes if each.kind == "node")
    )
    assert nodes == used
    assert logins == PackageLogins((npmrc,), ("hunter2-token",))
