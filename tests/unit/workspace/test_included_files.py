"""Ignored files that the settings name reach the commands of a project, and no commit."""

from pathlib import Path

import pytest

from treadle.domain.errors import ProjectError
from treadle.workspace.clean_checkout import CleanCheckout
from treadle.workspace.included_files import (
    MOST_FILES,
    IncludedFiles,
    files_to_offer,
    find_files_to_offer,
    find_included,
    place_files,
    remove_files,
)
from treadle.workspace.project import Project, find_project

from .real_git import Repository, files_of, repository_in


@pytest.fixture
def user(tmp_path: Path) -> Repository:
    repository = repository_in(tmp_path)
    repository.commit("Ignored", **{".gitignore": "*.test\nconfig/local.*\nnode_modules/\n"})
    repository.write(".env.test", "A=1\n")
    repository.write("config/local.json", "{}\n")
    repository.write("config/local.yml", "a: 1\n")
    return repository


async def project_of(user: Repository) -> Project:
    return await find_project(user.path, user.environment)


async def test_ignored_files_and_those_left_out_as_secrets_are_found(user: Repository) -> None:
    user.write(".env", "B=1\n")
    user.write("new.txt")
    (user.path / "link.test").symlink_to("/etc/hostname")
    project = await project_of(user)

    found = await find_included(project, ("**/*", ".*"), ("config/*.json",))

    assert found == IncludedFiles(
        project.root,
        (".env", ".env.test", "config/local.json", "config/local.yml"),
        for_agent=("config/local.json",),
    )


async def test_the_files_for_the_agent_are_for_commands_as_well(user: Repository) -> None:
    project = await project_of(user)

    found = await find_included(project, (), (".env.test",))

    assert (found.names, found.for_agent) == ((".env.test",), (".env.test",))


async def test_without_patterns_there_are_none(user: Repository) -> None:
    assert (await find_included(await project_of(user), (), ())).names == ()


async def test_too_many_files_are_refused(user: Repository) -> None:
    for number in range(MOST_FILES + 1):
        user.write(f"data/{number}.test", "")

    with pytest.raises(ProjectError) as refused:
        await find_included(await project_of(user), ("data/*",), ())

    assert refused.value.message == (
        f"workspace.include matches {MOST_FILES + 1} files of 0 MB in all"
    )


async def test_a_clean_checkout_has_the_files_and_what_setup_leaves_does_not(
    user: Repository, tmp_path: Path
) -> None:
    project = await project_of(user)
    included = await find_included(project, (".env.test", "config/*"), ())
    checkout = CleanCheckout(tmp_path / "proving", included)
    tracked = {".gitignore", "changed.txt", "kept.txt"}

    await checkout.prepare(project, user.head)
    first = set(files_of(checkout.work))
    base = checkout.keep_base("key", "")
    kept = set(files_of(base / "work"))
    user.write(".env.test", "A=2\n")
    await checkout.prepare(project, user.head, base)

    assert (first, kept) == (tracked | set(included.names), tracked)
    assert set(files_of(checkout.work)) == first
    assert (checkout.work / ".env.test").read_text() == "A=2\n"


def test_a_workspace_has_all_files_for_a_command_and_the_agents_own_afterwards(
    tmp_path: Path,
) -> None:
    source, workspace = tmp_path / "source", tmp_path / "workspace"
    for folder in (source / "config", workspace):
        folder.mkdir(parents=True)
    (source / ".env").write_text("A=1\n")
    (source / "config/local.json").write_text("{}\n")
    included = IncludedFiles(source, (".env", "config/local.json"), ("config/local.json",))
    # Of a process that was killed during a setup.
    (workspace / ".env").write_text("A=1\n")

    included.leave_for_agent(workspace)
    before = set(files_of(workspace))
    with included.in_workspace(workspace):
        during = set(files_of(workspace))

    assert during == {".env", "config/local.json"}
    assert before == set(files_of(workspace)) == {"config/local.json"}


@pytest.mark.parametrize("name", ["folder/file", "folder/deep/file"])
def test_nothing_is_written_or_removed_through_a_link(tmp_path: Path, name: str) -> None:
    outside, workspace, source = tmp_path / "outside", tmp_path / "workspace", tmp_path / "source"
    (outside / "deep").mkdir(parents=True)
    workspace.mkdir()
    (workspace / "folder").symlink_to(outside)
    (outside / "file").write_text("theirs")
    (outside / "deep/file").write_text("theirs")
    source.write_text("ours")
    before = files_of(outside)

    place_files({name: source}, workspace)
    remove_files(workspace, [name])

    assert files_of(outside) == before


def test_a_link_at_the_place_of_a_file_is_replaced(tmp_path: Path) -> None:
    outside, workspace, source = tmp_path / "outside", tmp_path / "workspace", tmp_path / "source"
    workspace.mkdir()
    outside.write_text("theirs")
    source.write_text("ours")
    (workspace / "file").symlink_to(outside)

    place_files({"file": source}, workspace)

    assert (outside.read_text(), (workspace / "file").read_text()) == ("theirs", "ours")
    assert not (workspace / "file").is_symlink()


def test_files_that_tests_seem_to_need_are_offered() -> None:
    ignored = [
        *(".env", ".env.test", "app/.env.testing", "config/local.yml", "settings.local.json"),
        *("node_modules/", "debug.log", ".env.example", "app.pyc", "local_settings.py"),
    ]

    assert files_to_offer(ignored) == (
        *(".env.test", "app/.env.testing", "config/local.yml", "settings.local.json"),
        "local_settings.py",
    )


async def test_they_are_found_in_a_checkout(user: Repository) -> None:
    user.write("node_modules/pkg/.env.test")

    offered = await find_files_to_offer(await project_of(user))

    assert offered == (".env.test", "config/local.json", "config/local.yml")
