"""A run's clone has the user's files and name, and is never incomplete."""

import shutil
from pathlib import Path

from treadle.workspace.clone import CommitRules, make_clone
from treadle.workspace.commits import commit_round

from .real_git import ADA, BRANCH, Repository, empty_repository, files_of, repository_in, run_on


async def test_a_clone_starts_with_what_the_user_sees(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write("changed.txt", "after")
    user.write("tool").chmod(0o755)
    (user.path / "link").symlink_to("tool")
    before = user.state()

    run = await run_on(user)

    assert files_of(run.clone.path) == files_of(user.path)
    assert (run.agent.head, run.agent.git("status", "--porcelain")) == (run.snapshot.commit, "")
    assert user.state() == before


async def test_a_clone_is_on_the_runs_branch_and_knows_no_other_place(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))

    assert run.agent.git("symbolic-ref", "HEAD") == f"refs/heads/{BRANCH}"
    assert run.agent.refs("refs") == {f"refs/heads/{BRANCH}": run.snapshot.commit}
    assert run.agent.git("remote") == ""


async def test_an_agents_commits_carry_the_users_name_and_are_not_signed(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.git("config", "commit.gpgSign", "true")
    run = await run_on(user)

    run.agent.commit(new="1")

    assert run.agent.git("log", "-1", "--format=%an <%ae> %G?") == "Ada <ada@example.com> N"


async def test_what_the_user_ignores_anywhere_is_ignored_in_the_clone(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    (tmp_path / "home/.config/git").mkdir(parents=True)
    (tmp_path / "home/.config/git/ignore").write_text("*.global")
    (user.git_dir / "info/exclude").write_text("*.local")
    run = await run_on(user)

    for name in ("a.global", "b.local", ".treadle-notes.md", ".treadle/status.json", "seen"):
        run.agent.write(name)

    assert run.agent.git("status", "--porcelain") == "?? seen"


async def test_a_configured_excludes_file_counts_too(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    (tmp_path / "home/mine").write_text("*.mine")
    user.git("config", "core.excludesFile", "~/mine")
    run = await run_on(user)

    run.agent.write("a.mine")

    assert run.agent.git("status", "--porcelain") == ""


async def test_what_the_user_ignores_meanwhile_is_ignored_from_the_next_round_on(
    tmp_path: Path,
) -> None:
    run = await run_on(repository_in(tmp_path))
    (run.user.git_dir / "info/exclude").write_text("*.local")
    run.agent.write("b.local")

    rest = await commit_round(run.clone, "Work")

    assert rest.commit is None


async def test_an_empty_repository_can_be_cloned(tmp_path: Path) -> None:
    run = await run_on(empty_repository(tmp_path))

    assert run.agent.tree() == {}
    assert run.agent.git("symbolic-ref", "HEAD") == f"refs/heads/{BRANCH}"


async def test_a_linked_worktree_and_a_shallow_repository_can_be_cloned(tmp_path: Path) -> None:
    origin = repository_in(tmp_path, "origin")
    origin.commit("Second", more="1")
    origin.git("clone", "--quiet", "--depth=1", f"file://{origin.path}", str(tmp_path / "shallow"))
    shallow = Repository(tmp_path / "shallow", origin.environment)
    shallow.git("worktree", "add", "--quiet", str(tmp_path / "linked"))

    run = await run_on(Repository(tmp_path / "linked", origin.environment))

    assert run.agent.git("log", "--format=%s") == "Second"
    assert run.agent.git("fsck", "--no-dangling") == ""


async def test_a_clone_that_is_there_already_keeps_its_work(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    made = run.agent.commit("Work", new="1")
    run.agent.write("uncommitted")

    again = await run_on(run.user)

    assert again.clone == run.clone
    assert (run.agent.head, run.agent.git("status", "--porcelain")) == (made, "?? uncommitted")


async def test_an_incomplete_clone_is_rebuilt_after_a_crash(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    half = tmp_path / "runs/tree.building"
    half.mkdir(parents=True)
    (half / "kept.txt").write_text("hal")
    (tmp_path / "runs/tree").mkdir()

    run = await run_on(user)

    assert files_of(run.clone.path) == files_of(user.path)
    assert not half.exists()


async def test_a_lost_clone_comes_back_with_what_was_imported(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    work = run.agent.commit("Work", new="1")
    run.user.git("fetch", "--quiet", str(run.clone.path), f"{BRANCH}:{BRANCH}")
    shutil.rmtree(run.clone.path)

    again = await run_on(run.user)

    assert again.agent.head == work
    assert again.clone.base == run.snapshot.commit


async def test_a_name_with_quotes_reaches_git_as_it_is(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    odd = type(ADA)('A "b" \\ c; # d', "a@b.example")

    clone = await make_clone(
        run.project,
        run.snapshot,
        branch=BRANCH,
        identity=odd,
        into=tmp_path / "other",
        rules=CommitRules(),
    )

    agent = Repository(clone.path, run.agent.environment)
    assert agent.git("config", "user.name") == odd.name
