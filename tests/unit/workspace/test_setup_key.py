"""Commits share what a setup installed if nothing that it depends on differs."""

from pathlib import Path

import pytest

from tests.unit.workspace.real_git import Repository, repository_in
from treadle.domain.pin_plan import PinnedFile, PinPlan
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


async def test_a_pinned_tree_has_the_key_of_its_own_manifests(user: Repository) -> None:
    project = await project_of(user)
    base = user.commit(**{"package.json": '{"a": 1}', "test.js": "fails"})
    tip = user.commit(**{"package.json": '{"b": 1}', "test.js": ""})
    files = PinnedFile("package.json", "restored", ""), PinnedFile("test.js", "restored", "")
    merged = PinnedFile("package.json", "merged", "", b'{"b": 1}')
    plans = PinPlan(base), PinPlan(base, files[:1]), PinPlan(base, files), PinPlan(base, (merged,))

    of_base, of_tip = [await setup_key(project, commit, "npm ci") for commit in (base, tip)]
    pinned = [await setup_key(project, tip, "npm ci", pins=plan) for plan in plans]

    assert of_base != of_tip
    assert pinned == [of_tip, of_base, of_base, of_tip]


async def test_a_pinned_tree_may_lack_what_a_setup_needs(user: Repository) -> None:
    base = user.head
    tip = user.commit(**{"setup.sh": "true"})
    pins = PinPlan(base, (PinnedFile("setup.sh", "left_out", ""),))

    key = await setup_key(await project_of(user), tip, "sh setup.sh", pins=pins)

    assert key == SetupNotYet(("setup.sh",))


async def test_a_submodule_matters_to_an_installer(user: Repository) -> None:
    user.commit(**{"package.json": "{}"})
    found = []
    for commit in (user.head, user.git("rev-parse", "HEAD~")):
        user.git("update-index", "--add", "--cacheinfo", f"160000,{commit},lib")
        user.git("commit", "--quiet", "--message", "Lib")
        found.append(await setup_key(await project_of(user), user.head, "npm ci"))

    assert len(set(found)) == 2


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
