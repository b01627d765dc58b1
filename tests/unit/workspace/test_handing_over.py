"""One commit of ours on top of what is home goes over at once, or by a fetch if need be."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from treadle.workspace.commits import commit_rest
from treadle.workspace.git import GitFailed
from treadle.workspace.imports import Imported, OnTop, import_work

from .real_git import BRANCH, RUN, Run, brought_home, repository_in, run_on

BACKUP = f"refs/treadle/backup/{RUN}/1"


@dataclass(frozen=True)
class Second:
    """The second round of a run whose first is home; its commit is made."""

    run: Run
    last: Imported
    tip: str

    async def home(self, files: int = 1) -> Imported:
        on_top = OnTop(self.last, files)
        found = await import_work(self.run.project, self.run.clone, RUN, self.tip, on_top=on_top)
        assert isinstance(found, Imported)
        return found

    @property
    def way(self) -> str:
        """How the branch says that it came to its tip."""
        return self.run.user.git("log", "-g", "-1", "--format=%gs", BRANCH)


@pytest.fixture
async def second(tmp_path: Path) -> Second:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("one", "1")
    last = await brought_home(run)
    assert isinstance(last, Imported)
    run.agent.write("folder/two", "2")
    rest = await commit_rest(run.clone, "Second")
    assert rest.on_top_of == last.commit
    return Second(run, last, rest.tip)


async def test_it_is_on_the_branch_with_all_it_needs_and_nothing_else_has_changed(
    second: Second,
) -> None:
    user = second.run.user
    before = user.state()

    found = await second.home()

    assert found == Imported(BRANCH, second.tip, 2, descends=True, moved=True)
    assert (user.state(), user.refs("refs/treadle/incoming")) == (before, {})
    assert user.tree(BRANCH)["folder/two"] == "2"
    assert (second.way, user.git("fsck", "--strict", "--no-dangling")) == ("treadle", "")


async def test_many_files_come_by_a_fetch_which_keeps_them_packed(second: Second) -> None:
    found = await second.home(files=31)

    assert found == Imported(BRANCH, second.tip, 2, descends=True, moved=True)
    assert second.way == "treadle: fast-forward"


def _somebody_commits_there(second: Second) -> None:
    user = second.run.user
    theirs = user.git("commit-tree", f"{BRANCH}^{{tree}}", "-p", BRANCH, "-m", "Theirs")
    user.git("update-ref", f"refs/heads/{BRANCH}", theirs)


async def test_what_somebody_else_did_on_the_branch_is_backed_up(second: Second) -> None:
    _somebody_commits_there(second)
    theirs = second.run.user.git("rev-parse", BRANCH)

    found = await second.home()

    assert found == Imported(BRANCH, second.tip, 2, descends=True, moved=True)
    assert second.run.user.refs("refs/treadle/backup") == {BACKUP: theirs}


def _checked_out(second: Second) -> None:
    second.run.user.git("checkout", "--quiet", BRANCH)


def _checked_out_by_a_link(second: Second) -> None:
    """As very old versions of git wrote HEAD, and newer ones still read it."""
    second.run.user.git("checkout", "--quiet", BRANCH)
    head = second.run.user.git_dir / "HEAD"
    head.unlink()
    head.symlink_to(f"refs/heads/{BRANCH}")


def _checked_out_elsewhere(second: Second) -> None:
    user = second.run.user
    user.git("worktree", "add", "--quiet", str(user.path.parent / "linked"), BRANCH)


@pytest.mark.parametrize("use", [_checked_out, _checked_out_by_a_link, _checked_out_elsewhere])
async def test_a_branch_that_somebody_works_on_is_not_moved(
    use: Callable[[Second], None], second: Second
) -> None:
    use(second)

    found = await second.home()

    assert found == Imported(f"{BRANCH}-2", second.tip, 2, descends=True, moved=True)
    assert second.run.user.git("rev-parse", BRANCH) == second.last.commit


async def test_a_deleted_branch_comes_back(second: Second) -> None:
    second.run.user.git("branch", "--quiet", "-D", BRANCH)

    found = await second.home()

    assert found == Imported(BRANCH, second.tip, 2, descends=True, moved=True)


async def test_a_commit_whose_files_are_gone_does_not_come_in(second: Second) -> None:
    blob = second.run.agent.git("rev-parse", f"{second.tip}:folder/two")
    (second.run.clone.git_dir / "objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(GitFailed):
        await second.home()

    assert second.run.user.git("rev-parse", BRANCH) == second.last.commit


async def test_a_malformed_tree_does_not_come_in(second: Second) -> None:
    agent = second.run.agent
    blob = agent.git("rev-parse", f"{second.tip}:folder/two")
    listing = agent.write(".git/raw", "")
    listing.write_bytes(b"100644 .git\0" + bytes.fromhex(blob))
    tree = agent.git("hash-object", "-t", "tree", "-w", "--literally", str(listing))
    bad = agent.git("commit-tree", tree, "-p", second.last.commit, "-m", "Second")
    agent.git("update-ref", f"refs/heads/{BRANCH}", bad)

    with pytest.raises(GitFailed, match="git fetch failed"):
        await Second(second.run, second.last, bad).home()

    assert second.run.user.git("rev-parse", BRANCH) == second.last.commit
