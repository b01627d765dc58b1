"""A folder of the work that git would take for a repository is found, whoever completed it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from treadle.workspace.embedded_repositories import embedded_repositories
from treadle.workspace.project import find_project

from .real_git import repository_in

BARE = ("HEAD", "config", "objects/info/keep", "refs/heads/keep")


@pytest.mark.parametrize(
    ("base", "work", "found"),
    [
        pytest.param([], [f"lib/data/{name}" for name in BARE], ["lib/data"], id="a bare one"),
        pytest.param([], ["a/b/head", "a/b/Objects/x", "a/b/REFS/x"], ["a/b"], id="other case"),
        pytest.param([], ["x/HEAD", "x/commondir"], ["x"], id="with the objects of another"),
        pytest.param([f"t/{name}" for name in BARE], ["t/config"], ["t"], id="of the user"),
        pytest.param(["t/objects/x", "t/refs/x"], ["t/HEAD"], ["t"], id="completed"),
        pytest.param(
            [f"t/{name}" for name in BARE], ["t/note", "src/config/a.py"], [], id="left alone"
        ),
        pytest.param([], ["docs/HEAD", "docs/refs/x", "objects/x", "HEAD"], [], id="no objects"),
    ],
)
async def test_a_folder_that_git_takes_for_a_repository_is_found(
    base: Sequence[str], work: Sequence[str], found: Sequence[str], tmp_path: Path
) -> None:
    user = repository_in(tmp_path)
    for path in base:
        user.write(path, "base")
    user.commit("Base")
    for path in work:
        user.write(path, "work")
    user.git("add", "--force", "--all")
    user.commit("Work")
    project = await find_project(user.path, user.environment)

    assert await embedded_repositories(project.git, "HEAD", work) == frozenset(found)


async def test_many_folders_are_looked_at(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    paths = [f"d{number}/{name}" for number in range(600) for name in ("HEAD", "commondir")]
    for path in paths:
        user.write(path, "x")
    user.commit("Work")
    project = await find_project(user.path, user.environment)

    assert len(await embedded_repositories(project.git, "HEAD", paths)) == 600
