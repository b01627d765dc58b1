"""Work is found in other branches as the same commits, as one, or one by one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from treadle.workspace.merge_search import MergePlace, WorkRange, find_merge
from treadle.workspace.project import find_project

from .real_git import BRANCH, Repository, repository_in

Move = Callable[[Repository], None]
LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def user(tmp_path: Path) -> Repository:
    """A repository with two commits of work on a run's branch."""
    user = repository_in(tmp_path)
    user.commit("Long", long=LINES)
    user.git("checkout", "--quiet", "-b", BRANCH)
    user.commit("One", one="1\n", long=LINES.replace("line 30\n", "line thirty\n"))
    user.commit("Two", two="2\n")
    user.git("checkout", "--quiet", "main")
    return user


def leave(_: Repository) -> None:
    """Merge it nowhere."""


def merge(user: Repository) -> None:
    user.git("merge", "--quiet", BRANCH)


def merge_later(user: Repository) -> None:
    user.commit("Meanwhile", other="1\n")
    user.git("merge", "--quiet", "--no-edit", BRANCH)


def push(user: Repository) -> None:
    user.git("update-ref", f"refs/remotes/origin/{BRANCH}", BRANCH)


def squash(user: Repository) -> None:
    user.git("merge", "--quiet", "--squash", BRANCH)
    user.git("commit", "--quiet", "-m", "All of it")


def squash_later(user: Repository) -> None:
    """As a forge does: onto other commits, in lines that moved."""
    user.commit("Meanwhile", long=f"first\n{LINES}")
    squash(user)
    user.commit("And on", other="1\n")


def squash_on_the_remote(user: Repository) -> None:
    user.git("checkout", "--quiet", "-b", "theirs")
    squash_later(user)
    user.git("update-ref", "refs/remotes/origin/main", "theirs")
    user.git("checkout", "--quiet", "main")
    user.git("branch", "--quiet", "-D", "theirs")


def squash_and_change(user: Repository) -> None:
    squash(user)
    user.commit("Another end", two="two\n")


def rebase(user: Repository) -> None:
    user.commit("Meanwhile", other="1\n")
    user.git("cherry-pick", f"main..{BRANCH}")


def pick_one(user: Repository) -> None:
    user.commit("Meanwhile", other="1\n")
    user.git("cherry-pick", BRANCH)


def squash_with_other_blanks(user: Repository) -> None:
    user.commit("Meanwhile", other="1\n")
    user.git("merge", "--quiet", "--squash", BRANCH)
    user.commit("All of it", two="  2\n")


def continue_run(user: Repository) -> None:
    user.git("branch", "treadle/more-12345678", BRANCH)


@pytest.mark.parametrize(
    ("move", "place"),
    [
        (leave, None),
        (merge, "merged"),
        (merge_later, "merged"),
        (push, "pushed"),
        (squash, "squashed"),
        (squash_later, "squashed"),
        (squash_on_the_remote, "squashed"),
        (squash_and_change, "squashed"),
        (rebase, "squashed"),
        (pick_one, None),
        (squash_with_other_blanks, None),
        # Another run has it, which may be dropped, too.
        (continue_run, None),
    ],
)
async def test_work_is_found_where_its_content_is(
    move: Move, place: MergePlace | None, user: Repository
) -> None:
    start = user.git("rev-parse", "main")
    tip = user.git("rev-parse", BRANCH)
    move(user)
    before = user.state()
    project = await find_project(user.path, user.environment)

    assert await find_merge(project, WorkRange(tip, (start,))) == place
    assert user.state() == before


async def test_work_on_top_of_uncommitted_changes_is_found_with_and_without_them(
    user: Repository,
) -> None:
    """The run began with a commit of what was uncommitted, which its branch has, too."""
    tip, head = user.git("rev-parse", BRANCH), user.git("rev-parse", "main")
    snapshot = user.git("rev-parse", f"{BRANCH}~")
    user.commit("Meanwhile", long=f"first\n{LINES}")
    squash(user)
    project = await find_project(user.path, user.environment)

    assert await find_merge(project, WorkRange(tip, (snapshot, head))) == "squashed"


@pytest.mark.parametrize(("most_bytes", "place"), [(10_000, "squashed"), (100, None)])
async def test_patches_of_any_size_are_read_up_to_a_limit(
    user: Repository, most_bytes: int, place: MergePlace | None
) -> None:
    start, tip = user.git("rev-parse", "main"), user.git("rev-parse", BRANCH)
    squash_and_change(user)
    project = await find_project(user.path, user.environment)

    found = await find_merge(project, WorkRange(tip, (start,)), most_bytes=most_bytes)

    assert found == place


async def test_a_binary_file_counts_by_its_bytes(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    start = user.head
    user.git("checkout", "--quiet", "-b", BRANCH)
    (user.path / "picture").write_bytes(b"\0one")
    tip = user.commit("A picture")
    user.git("checkout", "--quiet", "main")
    (user.path / "picture").write_bytes(b"\0two")
    user.commit("Another picture")
    project = await find_project(user.path, user.environment)

    assert await find_merge(project, WorkRange(tip, (start,))) is None


async def test_work_that_takes_itself_back_is_nowhere(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    start = user.head
    user.git("checkout", "--quiet", "-b", BRANCH)
    user.commit("There", one="1\n")
    (user.path / "one").unlink()
    tip = user.commit("And back")
    user.git("checkout", "--quiet", "main")
    project = await find_project(user.path, user.environment)

    assert await find_merge(project, WorkRange(tip, (start,))) is None
