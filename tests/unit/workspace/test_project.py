"""A project is found from any directory in it; what cannot be worked on is refused in one line."""

from pathlib import Path

import pytest

from treadle.domain.agent import CommitIdentity
from treadle.domain.errors import ProjectError
from treadle.workspace.project import (
    find_project,
    operation_in_progress,
    read_identity,
)

from .real_git import Repository, empty_repository, environment_in, repository_in


async def test_a_project_is_found_from_a_directory_inside_it(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    inside = repository.path / "a" / "b"
    inside.mkdir(parents=True)

    found = await find_project(inside, repository.environment)

    assert (found.root, found.git_dir) == (repository.path, repository.path / ".git")
    assert found == await find_project(repository.path, repository.environment)


async def test_the_key_survives_the_first_commit(tmp_path: Path) -> None:
    repository = empty_repository(tmp_path)
    before = await find_project(repository.path, repository.environment)

    repository.commit(a="1")
    repository.commit(a="2")

    after = await find_project(repository.path, repository.environment)
    assert after.key == before.key


async def test_linked_worktrees_and_submodules_are_projects_of_their_own(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    library = repository_in(tmp_path, "library")
    repository.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    repository.git("submodule", "--quiet", "add", str(library.path), "sub")

    paths = [repository.path, tmp_path / "linked", repository.path / "sub"]
    found = [await find_project(path, repository.environment) for path in paths]

    assert [project.root for project in found] == paths
    assert len({project.key for project in found}) == 3


async def test_what_is_no_project_is_refused_with_a_way_on(tmp_path: Path) -> None:
    environment = environment_in(tmp_path)
    file = tmp_path / "file"
    file.touch()
    bare = Repository(tmp_path / "bare", environment)
    bare.path.mkdir()
    bare.git("init", "--quiet", "--bare")
    plain = tmp_path / "plain"
    plain.mkdir()

    said = {}
    for path in (plain, bare.path, file, tmp_path / "missing"):
        with pytest.raises(ProjectError) as refused:
            await find_project(path, environment)
        said[path.name] = (refused.value.message.removeprefix(str(path)), refused.value.hint)

    assert said == {
        "plain": (
            " is not a git repository",
            "run `treadle init` (it offers to make one)",
        ),
        "bare": (
            " is a bare repository or a git directory: it has no files to work on",
            "clone it, and start treadle in the clone",
        ),
        "file": (" is not a directory", "give the directory of a project"),
        "missing": (" does not exist", "check the path given to --project-dir"),
    }


async def test_commits_carry_the_name_that_git_would_use(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.git("config", "user.name", 'Grace "Amazing" Hopper')

    project = await find_project(repository.path, repository.environment)

    assert await read_identity(project) == CommitIdentity(
        'Grace "Amazing" Hopper', "ada@example.com"
    )


async def test_a_missing_name_is_asked_for_and_never_guessed(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    (tmp_path / "home/.gitconfig").unlink()

    with pytest.raises(ProjectError) as refused:
        await read_identity(await find_project(repository.path, repository.environment))

    assert refused.value.hint == (
        'git config --global user.name "Your Name" && '
        "git config --global user.email you@example.com"
    )


@pytest.mark.parametrize(
    ("file", "operation"),
    [
        ("MERGE_HEAD", "a merge"),
        ("rebase-merge/onto", "a rebase"),
        ("rebase-apply/next", "a rebase"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("REVERT_HEAD", "a revert"),
        ("BISECT_LOG", "a bisect"),
        ("ORIG_HEAD", None),
    ],
)
def test_an_unfinished_operation_is_noticed(
    file: str, operation: str | None, tmp_path: Path
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()

    assert operation_in_progress(tmp_path) == operation
