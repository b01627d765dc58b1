"""Programs that Treadle starts are found outside the project, whatever the user's PATH says."""

import os
import shutil
from pathlib import Path

import pytest

from treadle.workspace.agent_tree import agent_git
from treadle.workspace.diffs import diff_text
from treadle.workspace.git import Git, GitFailed, user_git
from treadle.workspace.object_integrity import find_damaged_object
from treadle.workspace.project import find_project
from treadle.workspace.search_path import path_outside, path_outside_first
from treadle.workspace.throwaway_git import make_throwaway_git

from .real_git import Repository, repository_in, run_on

# Where an agent may put a program that an activated environment or direnv finds first.
PLACES = [".venv/bin", "node_modules/.bin", "bin", "sub/../tools"]


def with_planted_git(directory: Path, place: str) -> Repository:
    """A project with a `git` of its own, first on the user's PATH."""
    user = repository_in(directory)
    (user.path / "sub").mkdir()
    planted = user.write(f"{place}/git", f"#!/bin/sh\ntouch {directory}/planted\nexit 1\n")
    planted.chmod(0o755)
    search_path = f"{user.path / place}:{user.environment['PATH']}"
    return Repository(user.path, {**user.environment, "PATH": search_path})


@pytest.mark.parametrize("place", PLACES)
async def test_no_command_runs_a_git_of_the_project(tmp_path: Path, place: str) -> None:
    planted = with_planted_git(tmp_path, place)

    project = await find_project(planted.path / "sub", planted.environment)
    plain = Repository(planted.path, project.git.environment)
    run = await run_on(plain)
    gits = [
        user_git(planted.path, planted.environment),
        agent_git(run.clone),
        make_throwaway_git(project, run.snapshot.commit, tmp_path / "git", tmp_path),
    ]
    versions = [await git.run("version") for git in gits]

    assert await diff_text(project, "HEAD", "HEAD") == ""
    assert await find_damaged_object(project, run.snapshot.commit) is None
    assert len(set(versions)) == 1
    assert not (tmp_path / "planted").exists()


async def test_a_git_that_is_only_in_the_project_is_none(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    git = shutil.which("git", path=user.environment["PATH"])
    assert git is not None
    (user.path / "bin").mkdir()
    (user.path / "bin/git").symlink_to(git)

    with pytest.raises(GitFailed, match="git was not found"):
        await user_git(user.path, {"PATH": str(user.path / "bin")}).run("version")


@pytest.mark.parametrize("folder", ["venv/bin", "x/node_modules/.bin"])
def test_a_git_of_an_environment_elsewhere_is_the_last_choice(tmp_path: Path, folder: str) -> None:
    user = repository_in(tmp_path)
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "venv").mkdir(exist_ok=True)
    (tmp_path / "venv/pyvenv.cfg").touch()
    planted = tmp_path / folder / "git"
    planted.touch(mode=0o755)
    with_system = f"{planted.parent}:{user.environment['PATH']}"

    found = [
        user_git(user.path, {"PATH": path}).program for path in (with_system, str(planted.parent))
    ]

    assert found == [shutil.which("git", path=user.environment["PATH"]), str(planted)]


def test_what_git_starts_is_looked_up_in_the_project_last(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "project")
    inside = [f"{tmp_path}/project/bin", f"{tmp_path}/link", f"{tmp_path}/other/../project"]
    given = os.pathsep.join([inside[0], "", "bin", "/usr/bin", *inside[1:], "/bin"])

    found = (
        path_outside(given, tmp_path / "project"),
        path_outside_first(given, tmp_path / "project"),
    )

    assert found == ("/usr/bin:/bin", os.pathsep.join(["/usr/bin", "/bin", *inside]))


@pytest.mark.parametrize("folder", ["core", "{project}/core"])
def test_git_takes_its_own_programs_from_no_folder_of_the_project(
    tmp_path: Path, folder: str
) -> None:
    user = repository_in(tmp_path)
    variables = {**user.environment, "GIT_EXEC_PATH": folder.format(project=user.path)}

    assert user_git(user.path, variables) == user_git(user.path, user.environment)


def test_git_keeps_the_folder_of_programs_that_is_elsewhere(tmp_path: Path) -> None:
    git: Git = user_git(tmp_path, {"GIT_EXEC_PATH": "/usr/lib/git-core"})

    assert git.environment["GIT_EXEC_PATH"] == "/usr/lib/git-core"
