"""Discarded work is distinguished from rewritten work."""

from pathlib import Path

import pytest

from treadle.workspace.commits import commit_round
from treadle.workspace.git import user_git
from treadle.workspace.tree_change import TreeChange, measure_change

from .real_git import Repository, repository_in, run_on

TEN = "".join(f"line {n}\n" for n in range(10))


async def moved(user: Repository, before: str) -> TreeChange:
    return await measure_change(
        user_git(user.path, user.environment), before, user.git("rev-parse", "HEAD")
    )


@pytest.fixture
def user(tmp_path: Path) -> Repository:
    return repository_in(tmp_path)


async def test_a_history_that_grows_takes_nothing_back(user: Repository) -> None:
    before = user.commit("One", **{"work.txt": TEN})
    user.commit("Two", **{"work.txt": "short\n"})

    assert await moved(user, before) == TreeChange(user.git("rev-parse", "HEAD^{tree}"))


async def test_nothing_moved(user: Repository) -> None:
    head = user.git("rev-parse", "HEAD")

    assert await moved(user, head) == TreeChange(user.git("rev-parse", "HEAD^{tree}"))


async def test_commits_that_are_reset_away_are_undone(user: Repository) -> None:
    start = user.git("rev-parse", "HEAD")
    user.commit("One", **{"work.txt": TEN})
    before = user.commit("Two", **{"more.txt": TEN})
    user.git("reset", "--quiet", "--hard", start)

    assert await moved(user, before) == TreeChange(user.git("rev-parse", "HEAD^{tree}"), undone=2)


async def test_new_work_after_a_reset_does_not_hide_it(user: Repository) -> None:
    start = user.git("rev-parse", "HEAD")
    before = user.commit("One", **{"work.txt": TEN})
    user.git("reset", "--quiet", "--hard", start)
    user.commit("Another", **{"other.txt": "something else\n" * 30})

    assert (await moved(user, before)).undone == 1


async def test_an_amended_commit_is_not_undone(user: Repository) -> None:
    before = user.commit("One", **{"work.txt": TEN})
    user.write("work.txt", TEN.replace("line 3", "line three") + "line 10\n")
    user.git("commit", "--quiet", "--amend", "--all", "--no-edit")

    assert (await moved(user, before)).undone == 0


async def test_commits_that_are_squashed_are_not_undone(user: Repository) -> None:
    start = user.git("rev-parse", "HEAD")
    user.commit("One", **{"work.txt": TEN})
    before = user.commit("Two", **{"more.txt": TEN})
    user.git("reset", "--quiet", "--soft", start)
    user.git("commit", "--quiet", "--message", "Both")

    assert (await moved(user, before)).undone == 0


async def test_a_history_without_a_common_past_says_nothing(user: Repository) -> None:
    before = user.commit("One", **{"work.txt": TEN})
    user.git("checkout", "--quiet", "--orphan", "anew")
    user.commit("Anew")

    assert (await moved(user, before)).undone == 0


async def test_a_commit_of_ours_says_by_itself_where_the_work_is(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("two", "2")
    rest = await commit_round(run.clone, "Finish the round")
    nowhere = user_git(tmp_path / "no repository", run.user.environment)

    told = await measure_change(nowhere, run.snapshot.commit, rest.tip, rest)

    assert told == TreeChange(run.agent.git("rev-parse", "HEAD^{tree}"))


async def test_what_it_stands_on_is_not_taken_for_another_round(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    before = run.agent.commit("Thrown away", **{"work.txt": TEN})
    run.agent.git("reset", "--quiet", "--hard", "HEAD~1")
    run.agent.write("two", "2")
    rest = await commit_round(run.clone, "Finish the round")

    told = await measure_change(
        user_git(run.clone.path, run.user.environment), before, rest.tip, rest
    )

    assert told == TreeChange(run.agent.git("rev-parse", "HEAD^{tree}"), undone=1)
