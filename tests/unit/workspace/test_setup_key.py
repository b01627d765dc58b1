"""Commits share what a setup installed if nothing that it depends on differs."""

from pathlib import Path

import pytest

from tests.unit.workspace.real_git import Repository, repository_in
from treadle.workspace.project import Project, find_project
from treadle.workspace.setup_key import SetupNotYet, setup_key

PLAIN = "[build-system]\nbuild-backend = 'hatchling.build'\n[project]\nname = 'x'\nversion = '1'\n"


@pytest.fixture
def user(tmp_path: Path) -> Repository:
    return repository_in(tmp_path)


async def project_of(user: Repository) -> Project:
    return await find_project(user.path, user.environment)


async def keys(user: Repository, command: str, *states: dict[str, str]) -> list[object]:
    """The key after each further change."""
    found: list[object] = []
    for files in states:
        for name, text in files.items():
            user.write(name, text)
        commit = user.commit()
        found.append(await setup_key(await project_of(user), commit, command))
    return found


async def test_code_does_not_matter_to_an_installer(user: Repository) -> None:
    one, two, three = await keys(
        user, "npm ci", {"package.json": "{}"}, {"a.js": "1"}, {"package-lock.json": "{}"}
    )

    assert one == two != three


async def test_all_files_matter_to_any_other_command(user: Repository) -> None:
    one, two = await keys(user, "sh setup.sh", {"setup.sh": "true"}, {"a.js": "1"})

    assert one != two


async def test_an_editable_install_refers_to_packages_by_name(user: Repository) -> None:
    one, two, three = await keys(
        user,
        "pip install -e .",
        {"pyproject.toml": PLAIN, "x/__init__.py": ""},
        {"x/more.py": "1"},
        {"y/__init__.py": ""},
    )

    assert one == two != three


async def test_a_script_that_runs_on_installation_may_read_every_file(user: Repository) -> None:
    script = '{"scripts": {"postinstall": "node generate.js"}}'
    one, two = await keys(user, "npm ci", {"package.json": script}, {"schema.txt": "1"})

    assert one != two


async def test_another_command_has_another_key(user: Repository) -> None:
    (one,) = await keys(user, "npm ci", {"package.json": "{}"})
    (two,) = await keys(user, "npm install", {"a.js": "1"})

    assert one != two


async def test_a_setup_waits_for_the_files_that_it_needs(user: Repository) -> None:
    missing, found = await keys(user, "npm ci", {"a.js": ""}, {"package.json": "{}"})

    assert missing == SetupNotYet(("package.json",))
    assert isinstance(found, str)
