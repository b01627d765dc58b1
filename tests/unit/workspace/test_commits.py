"""After a round all work is on the run's branch, in any state of the clone."""

from pathlib import Path

import pytest

from treadle.workspace.commits import CommittedRound, commit_round

from .real_git import BRANCH, Repository, Run, empty_repository, repository_in, run_on


async def settled(run: Run) -> CommittedRound:
    """The rest, after a look that the clone is ready for the next round and the user untouched."""
    before = run.user.state()
    rest = await commit_round(run.clone, "Finish the round")
    assert run.user.state() == before
    assert run.agent.git("symbolic-ref", "HEAD") == f"refs/heads/{BRANCH}"
    assert run.agent.head == rest.tip
    assert [
        line for line in run.agent.git("status", "--porcelain").splitlines() if line[:2] != "??"
    ] == []
    # Whoever asks again is told of a loss again, until the next round begins.
    again = CommittedRound(rest.tip, left_out=rest.left_out, lost=rest.lost)
    assert await commit_round(run.clone, "Again") == again
    return rest


def subjects(run: Run) -> list[str]:
    return run.agent.git("log", "--format=%s", f"{run.clone.base}..").splitlines()


async def test_nothing_left_makes_no_commit(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))

    assert await settled(run) == CommittedRound(run.snapshot.commit)


async def test_what_is_left_is_committed_in_the_users_name(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("By the agent", one="1")
    before = run.agent.head
    run.agent.write("two", "2")
    (run.clone.path / "kept.txt").unlink()

    rest = await settled(run)

    assert rest == CommittedRound(run.agent.head, commit=run.agent.head, on_top_of=before)
    assert run.agent.git("log", "-1", "--format=%an <%ae>: %s") == (
        "Ada <ada@example.com>: Finish the round"
    )
    assert run.agent.tree() == {"changed.txt": "before", "one": "1", "two": "2"}


async def test_treadles_own_files_are_not_part_of_the_work(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit(**{".treadle/kept": "1"})
    run = await run_on(user)
    run.agent.write(".treadle/kept", "2")
    run.agent.write(".treadle/new", "2")
    run.agent.write(".treadle-notes.md", "notes")

    rest = await commit_round(run.clone, "Work")

    assert (rest.commit, rest.tip) == (None, run.snapshot.commit)


async def test_work_on_a_detached_head_is_brought_to_the_branch(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.git("checkout", "--quiet", "--detach")
    run.agent.commit("Detached", one="1")
    run.agent.write("two", "2")

    rest = await settled(run)

    assert subjects(run) == ["Finish the round", "Detached"]
    assert rest.remarks == ("The agent left HEAD detached; it is on the run's branch again.",)


async def test_work_on_another_branch_is_brought_to_the_runs(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.git("checkout", "--quiet", "-b", "feature")
    run.agent.commit("On a feature branch", one="1")

    rest = await settled(run)

    assert subjects(run) == ["On a feature branch"]
    assert rest.remarks == ("The agent left HEAD on feature; it is on the run's branch again.",)


async def test_a_renamed_branch_is_found(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("Work", one="1")
    run.agent.git("branch", "--move", "mine")

    await settled(run)

    assert subjects(run) == ["Work"]


async def test_looking_at_an_old_commit_undoes_nothing(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    work = run.agent.commit("Work", one="1")
    run.agent.git("checkout", "--quiet", "HEAD~1")

    rest = await settled(run)

    assert (rest.tip, rest.commit) == (work, None)
    assert (run.clone.path / "one").read_text() == "1"


async def test_changes_made_on_an_old_commit_are_merged_into_the_branch(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("Work", one="1")
    run.agent.git("checkout", "--quiet", "HEAD~1")
    run.agent.write("two", "2")

    rest = await settled(run)

    assert run.agent.tree() == {
        **{"changed.txt": "before", "kept.txt": "kept", "one": "1", "two": "2"}
    }
    assert rest.remarks[-1] == "Work from elsewhere in the clone was merged into the branch."


async def test_changes_that_clash_are_kept_aside(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    work = run.agent.commit("Work", one="1")
    run.agent.git("checkout", "--quiet", "HEAD~1")
    run.agent.write("one", "other")

    rest = await settled(run)

    assert rest.tip == work
    assert rest.aside is not None
    assert run.agent.tree(rest.aside)["one"] == "other"
    assert run.agent.refs("refs/treadle") == {f"refs/treadle/aside/{rest.aside}": rest.aside}


def clashing_branches(agent: Repository) -> None:
    agent.git("checkout", "--quiet", "-b", "side")
    agent.commit("Side", **{"changed.txt": "side\n"})
    agent.git("checkout", "--quiet", BRANCH)
    agent.commit("Main", **{"changed.txt": "main\n"})


async def test_an_unfinished_merge_keeps_both_sides(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    clashing_branches(run.agent)
    with pytest.raises(AssertionError):
        run.agent.git("merge", "side")

    rest = await settled(run)

    assert sorted(subjects(run)) == ["Finish the round", "Main", "Side"]
    assert rest.remarks == ("The agent left a merge unfinished.",)


async def test_an_unfinished_rebase_leaves_the_branch_as_it_was(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    clashing_branches(run.agent)
    tip = run.agent.commit("More", more="1")
    with pytest.raises(AssertionError):
        run.agent.git("rebase", "side")

    rest = await settled(run)

    assert rest.tip == tip
    assert rest.aside is not None
    assert "The agent left a rebase unfinished." in rest.remarks
    assert not (run.clone.git_dir / "rebase-merge").exists()


@pytest.mark.parametrize("harm", ["locked", "deleted", "garbage"])
async def test_a_harmed_index_stops_nothing(harm: str, tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("new", "1")
    match harm:
        case "locked":
            (run.clone.git_dir / "index.lock").touch()
        case "deleted":
            (run.clone.git_dir / "index").unlink()
        case _:
            (run.clone.git_dir / "index").write_bytes(b"DIRC garbage")

    await settled(run)

    assert run.agent.tree() == {"changed.txt": "before", "kept.txt": "kept", "new": "1"}


async def test_cut_before_the_index_was_written_nothing_is_committed_twice(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("new", "1")
    (run.clone.path / "kept.txt").unlink()
    index = (run.clone.git_dir / "index").read_bytes()
    rest = await commit_round(run.clone, "Work")
    (run.clone.git_dir / "index").write_bytes(index)

    assert await settled(run) == CommittedRound(rest.tip)


async def test_conflicts_without_a_merge_are_committed_as_they_lie(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("changed.txt", "stashed")
    run.agent.git("stash", "--quiet")
    run.agent.commit("Work", **{"changed.txt": "committed"})
    with pytest.raises(AssertionError):
        run.agent.git("stash", "pop")
    run.agent.git("stash", "drop", "--quiet")
    lying = (run.clone.path / "changed.txt").read_text()

    await settled(run)

    assert run.agent.tree()["changed.txt"] == lying.removesuffix("\n")


async def test_a_rewritten_branch_is_taken_as_the_agent_left_it(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("First try", one="1")
    run.agent.git("reset", "--quiet", "--hard", "HEAD~1")
    run.agent.write("one", "2")

    await settled(run)

    assert subjects(run) == ["Finish the round"]


async def test_an_orphan_branch_is_kept_aside(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.git("checkout", "--quiet", "--orphan", "fresh")
    run.agent.write("new", "1")

    rest = await settled(run)

    assert rest.tip == run.snapshot.commit
    assert rest.aside is not None
    assert run.agent.tree(rest.aside)["new"] == "1"


async def test_a_stash_is_mentioned(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("changed.txt", "stashed")
    run.agent.git("stash", "--quiet")

    rest = await commit_round(run.clone, "Work")

    assert rest.remarks == ("The agent left a stash in the workspace; it is not part of the work.",)


async def test_nested_repositories_are_named_as_left_out(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    nested = Repository(run.clone.path / "app", run.agent.environment)
    nested.path.mkdir()
    nested.git("init", "--quiet")
    nested.write("main.py")

    assert (await settled(run)).left_out == ("app/",)


async def test_work_in_an_empty_repository_is_committed(tmp_path: Path) -> None:
    run = await run_on(empty_repository(tmp_path))
    run.agent.write("first", "1")

    await settled(run)

    assert run.agent.tree() == {"first": "1"}


async def test_credits_in_our_own_message_are_removed(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("new")

    await commit_round(run.clone, "Subject\n\nCo-Authored-By: Claude <noreply@anthropic.com>")

    assert run.agent.git("log", "-1", "--format=%B").strip() == "Subject"


async def test_what_running_a_project_leaves_is_not_committed(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("app/__pycache__/app.cpython-311.pyc", "compiled")
    run.agent.write("node_modules/left-pad/index.js", "left")
    run.agent.write("app/app.py", "print()\n")

    rest = await commit_round(run.clone, "Work")

    assert rest.commit is not None
    assert run.agent.git("show", "--name-only", "--format=", rest.commit) == "app/app.py"
