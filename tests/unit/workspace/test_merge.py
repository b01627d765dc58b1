"""Two commits are merged without a checkout, the same each time, or not at all."""

from pathlib import Path

from treadle.workspace.merge import merge_cleanly
from treadle.workspace.project import Project, find_project

from .real_git import Repository, repository_in


async def two_sides(tmp_path: Path, **theirs: str) -> tuple[Repository, Project, str, str]:
    """A repository with a commit of the user's, and one of a run beside it."""
    user = repository_in(tmp_path)
    base = user.head
    work = user.commit("Work", **(theirs or {"new": "work"}))
    user.git("reset", "--quiet", "--hard", base)
    mine = user.commit("Code of mine", mine="1")
    return user, await find_project(user.path, user.environment), mine, work


async def test_a_merge_has_both_sides_and_leaves_the_checkout_alone(tmp_path: Path) -> None:
    user, project, mine, work = await two_sides(tmp_path)
    before = user.state()

    merged = await merge_cleanly(project, mine, work)

    assert merged is not None
    assert user.state() == before
    assert user.git("rev-parse", f"{merged}^@").splitlines() == [mine, work]
    assert (user.tree(merged)["new"], user.tree(merged)["mine"]) == ("work", "1")
    # A process that is killed after it makes the same one again.
    assert await merge_cleanly(project, mine, work) == merged


async def test_a_conflict_is_left_to_a_person(tmp_path: Path) -> None:
    _, project, mine, work = await two_sides(tmp_path, mine="2")

    assert await merge_cleanly(project, mine, work) is None


async def test_what_contains_the_other_side_is_the_merge(tmp_path: Path) -> None:
    _, project, mine, _ = await two_sides(tmp_path)

    assert await merge_cleanly(project, mine, f"{mine}~1") == mine
    assert await merge_cleanly(project, f"{mine}~1", mine) == mine


async def test_a_merge_program_of_the_user_is_not_run(tmp_path: Path) -> None:
    user, project, mine, work = await two_sides(tmp_path)
    user.git("config", "merge.own.driver", "touch run")

    assert await merge_cleanly(project, mine, work) is None
    assert not (user.path / "run").exists()
