"""A clone may be removed when the user's repository has all of its work."""

from pathlib import Path

import pytest

from treadle.workspace.unimported_work import is_all_imported

from .real_git import BRANCH, Run, import_run, repository_in, run_on


@pytest.fixture
async def run(tmp_path: Path) -> Run:
    """A run that has brought one commit home."""
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("One", one="1")
    await import_run(run)
    return run


async def test_a_clone_whose_commits_were_imported_holds_nothing(run: Run) -> None:
    assert await is_all_imported(run.clone, run.agent.head)


async def test_an_unused_clone_has_no_work(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))

    assert await is_all_imported(run.clone, run.snapshot.commit)


async def test_what_running_the_project_left_is_no_work(run: Run) -> None:
    run.agent.write("__pycache__/one.pyc")
    run.agent.write("node_modules/left/pad.js")

    assert await is_all_imported(run.clone, run.agent.head)


@pytest.mark.parametrize("name", ["new.txt", "one", "deep/new.txt"])
async def test_a_file_that_is_not_committed_is_work(run: Run, name: str) -> None:
    run.agent.write(name, "more")

    assert not await is_all_imported(run.clone, run.agent.head)


async def test_a_file_that_was_removed_is_work(run: Run) -> None:
    (run.agent.path / "one").unlink()

    assert not await is_all_imported(run.clone, run.agent.head)


async def test_a_commit_that_was_not_imported_is_work(run: Run) -> None:
    imported = run.agent.head
    run.agent.commit("Two", two="2")

    assert not await is_all_imported(run.clone, imported)


async def test_a_commit_on_another_branch_is_work(run: Run) -> None:
    imported = run.agent.head
    run.agent.git("checkout", "--quiet", "-b", "elsewhere")
    run.agent.commit("Two", two="2")
    run.agent.git("checkout", "--quiet", BRANCH)

    assert not await is_all_imported(run.clone, imported)


async def test_a_stash_is_work(run: Run) -> None:
    run.agent.write("one", "changed")
    run.agent.git("stash")

    assert not await is_all_imported(run.clone, run.agent.head)


async def test_a_nested_repository_is_work(run: Run) -> None:
    run.agent.git("init", "--quiet", "nested")
    run.agent.write("nested/file")

    assert not await is_all_imported(run.clone, run.agent.head)


async def test_a_clone_without_an_index_counts_as_work(run: Run) -> None:
    (run.clone.git_dir / "index").unlink()

    assert not await is_all_imported(run.clone, run.agent.head)


async def test_a_branch_that_the_user_deleted_was_imported_all_the_same(run: Run) -> None:
    imported = run.agent.head
    run.user.git("branch", "-D", BRANCH)

    assert await is_all_imported(run.clone, imported)
