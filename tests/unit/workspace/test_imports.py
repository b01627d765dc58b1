"""A run's commits are imported onto their own branch, and nothing else changes."""

import shutil
from pathlib import Path

import pytest

from treadle.workspace.commits import commit_round
from treadle.workspace.git import GitFailed
from treadle.workspace.imports import ImportedBranch, NothingToImport

from .real_git import BRANCH, RUN, Repository, Run, import_run, repository_in, run_on

BACKUPS = f"refs/treadle/backup/{RUN}"


async def imported_from(run: Run) -> ImportedBranch | NothingToImport:
    """What was imported, after a look that nothing else changed."""
    before = run.user.state()
    imported = await import_run(run)
    assert run.user.state() == before
    assert not (run.user.git_dir / "FETCH_HEAD").exists()
    assert run.user.refs("refs/treadle/incoming") == {}
    return imported


async def test_a_run_without_commits_brings_no_branch(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))

    assert await imported_from(run) == NothingToImport()
    assert run.user.refs("refs/heads/treadle") == {}


async def test_commits_arrive_on_the_runs_branch(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("One", one="1")
    tip = run.agent.commit("Two", two="2")
    run.agent.git("tag", "v1")

    assert await imported_from(run) == ImportedBranch(BRANCH, tip, 2, descends=True, moved=True)

    assert run.user.refs("refs/heads/treadle") == {f"refs/heads/{BRANCH}": tip}
    assert run.user.tree(BRANCH)["two"] == "2"


async def test_importing_the_same_again_moves_nothing(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    tip = run.agent.commit("One", one="1")
    await imported_from(run)

    assert await imported_from(run) == ImportedBranch(BRANCH, tip, 1, descends=True, moved=False)


async def test_a_later_round_moves_the_branch_without_a_backup(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("One", one="1")
    await imported_from(run)
    run.agent.commit("Two", two="2")

    imported = await imported_from(run)

    assert imported == ImportedBranch(BRANCH, run.agent.head, 2, descends=True, moved=True)
    assert run.user.refs(BACKUPS) == {}


async def test_commits_that_the_agent_threw_away_are_backed_up_once(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    thrown_away = run.agent.commit("One", one="1")
    await imported_from(run)
    run.agent.git("reset", "--quiet", "--hard", "HEAD~1")
    run.agent.git("reflog", "expire", "--expire=now", "--all")
    run.agent.git("gc", "--quiet", "--prune=now")

    assert await imported_from(run) == ImportedBranch(
        BRANCH, run.snapshot.commit, 0, descends=True, moved=True
    )

    assert run.user.refs(BACKUPS) == {f"{BACKUPS}/1": thrown_away}
    assert run.user.tree(thrown_away)["one"] == "1"


async def test_no_setting_of_the_user_makes_a_rewrite_pass_for_a_step_forward(
    tmp_path: Path,
) -> None:
    run = await run_on(repository_in(tmp_path))
    run.user.git("config", "fetch.showForcedUpdates", "false")
    thrown_away = run.agent.commit("One", one="1")
    await imported_from(run)
    run.agent.git("commit", "--quiet", "--amend", "-m", "Another")

    assert await imported_from(run) == ImportedBranch(
        BRANCH, run.agent.head, 1, descends=True, moved=True
    )

    assert run.user.refs(BACKUPS) == {f"{BACKUPS}/1": thrown_away}


@pytest.mark.parametrize("output", ["compact", "full"])
async def test_no_setting_of_the_user_hides_that_the_branch_moved(
    output: str, tmp_path: Path
) -> None:
    run = await run_on(repository_in(tmp_path))
    run.user.git("config", "fetch.output", output)
    run.user.git("config", "color.ui", "always")
    seen = []
    for number in (1, 2):
        run.agent.commit(f"Work {number}", one=str(number))
        seen += [await imported_from(run), await imported_from(run)]

    assert [found.moved for found in seen if isinstance(found, ImportedBranch)] == [
        *(True, False, True, False)
    ]


async def test_a_branch_that_was_deleted_comes_back_with_the_next_commit(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("One", one="1")
    await imported_from(run)
    run.user.git("branch", "--quiet", "-D", BRANCH)
    tip = run.agent.commit("Two", two="2")

    assert await imported_from(run) == ImportedBranch(BRANCH, tip, 2, descends=True, moved=True)


async def test_a_branch_with_commits_of_somebody_else_is_backed_up(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("One", one="1")
    await imported_from(run)
    theirs = run.user.git("commit-tree", f"{BRANCH}^{{tree}}", "-p", BRANCH, "-m", "Theirs")
    run.user.git("update-ref", f"refs/heads/{BRANCH}", theirs)
    tip = run.agent.commit("Two", two="2")

    assert await imported_from(run) == ImportedBranch(BRANCH, tip, 2, descends=True, moved=True)

    assert run.user.refs(BACKUPS) == {f"{BACKUPS}/1": theirs}


async def test_each_rewrite_has_its_own_backup(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("Try 0", one="0")
    await imported_from(run)
    dropped = []
    for number in (1, 2):
        dropped.append(run.agent.head)
        run.agent.git("commit", "--quiet", "--amend", "-m", f"Try {number}")
        await imported_from(run)

    assert run.user.refs(BACKUPS) == {f"{BACKUPS}/1": dropped[0], f"{BACKUPS}/2": dropped[1]}


async def test_work_without_the_snapshot_below_it_is_marked(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.git("checkout", "--quiet", "--orphan", "fresh")
    tip = run.agent.commit("A history of its own", one="1")
    run.agent.git("branch", "--force", BRANCH, "fresh")

    assert await imported_from(run) == ImportedBranch(BRANCH, tip, 1, descends=False, moved=True)


async def test_a_branch_that_somebody_has_checked_out_is_not_moved(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("One", one="1")
    await imported_from(run)
    run.user.git("checkout", "--quiet", BRANCH)
    tip = run.agent.commit("Two", two="2")

    assert await imported_from(run) == ImportedBranch(
        f"{BRANCH}-2", tip, 2, descends=True, moved=True
    )

    assert run.user.git("status", "--porcelain") == ""


async def test_a_branch_that_another_worktree_has_checked_out_is_not_moved(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("One", one="1")
    await imported_from(run)
    run.user.git("worktree", "add", "--quiet", str(tmp_path / "linked"), BRANCH)
    tip = run.agent.commit("Two", two="2")

    assert await imported_from(run) == ImportedBranch(
        f"{BRANCH}-2", tip, 2, descends=True, moved=True
    )

    assert Repository(tmp_path / "linked", run.user.environment).git("status", "--porcelain") == ""


async def test_work_is_imported_into_a_shallow_repository(tmp_path: Path) -> None:
    origin = repository_in(tmp_path, "origin")
    origin.commit("Second", more="1")
    origin.git("clone", "--quiet", "--depth=1", f"file://{origin.path}", str(tmp_path / "shallow"))
    run = await run_on(Repository(tmp_path / "shallow", origin.environment))
    tip = run.agent.commit("Work", one="1")

    assert await imported_from(run) == ImportedBranch(BRANCH, tip, 1, descends=True, moved=True)


async def test_what_was_kept_aside_is_imported_too(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("Work", one="1")
    run.agent.git("checkout", "--quiet", "HEAD~1")
    run.agent.write("one", "other")
    aside = (await commit_round(run.clone, "Rest")).aside
    assert aside is not None

    await imported_from(run)

    assert run.user.refs("refs/treadle/aside") == {f"refs/treadle/aside/{RUN}/{aside}": aside}
    assert run.user.tree(aside)["one"] == "other"


async def test_imported_work_outlives_the_clone(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("Work", one="1")
    await imported_from(run)

    shutil.rmtree(run.clone.path)

    assert run.user.git("fsck", "--no-dangling") == ""


async def test_malformed_objects_do_not_come_in(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    text = run.agent.git("cat-file", "commit", "HEAD").replace(" +0000", " +notazone")
    raw = run.agent.write(".git/raw", text + "\n")
    bad = run.agent.git("hash-object", "-t", "commit", "-w", "--literally", str(raw))
    run.agent.git("update-ref", f"refs/heads/{BRANCH}", bad)
    before = run.user.state()

    with pytest.raises(GitFailed, match="git fetch failed"):
        await import_run(run)

    assert run.user.state() == before
    assert run.user.refs("refs/heads/treadle") == {}


async def test_programs_planted_in_the_clone_do_not_run_during_the_import(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("Work", one="1")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\nexit 1\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "uploadpack.packObjectsHook", "core.alternateRefsCommand"):
        run.agent.git("config", key, str(trap))

    await imported_from(run)

    assert not (tmp_path / "sprung").exists()
