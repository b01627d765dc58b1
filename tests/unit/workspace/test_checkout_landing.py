"""Landing fast-forwards the user's checkout to the work, or leaves it byte for byte as it was."""

from pathlib import Path

import pytest

from treadle.workspace.checkout_landing import LandedCommit, LandingOutcome, LandingRefused, land
from treadle.workspace.imports import ImportedBranch

from .real_git import (
    BRANCH,
    RUN,
    Repository,
    Run,
    empty_repository,
    import_run,
    repository_in,
    run_on,
)

BACKUPS = f"refs/treadle/backup/{RUN}"
MERGE = f"git merge {BRANCH}"


async def worked(user: Repository, **files: str) -> tuple[Run, ImportedBranch]:
    """A run whose agent committed `files`, imported and ready to land."""
    run = await run_on(user)
    run.agent.commit("Work", **(files or {"new": "work"}))
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)
    return run, imported


async def landing(run: Run, imported: ImportedBranch) -> LandingOutcome:
    return await land(run.project, run.snapshot, imported, RUN)


async def kept(run: Run, imported: ImportedBranch) -> LandingRefused:
    """Why the work was kept, after a look that nothing changed."""
    before = run.user.state()
    outcome = await landing(run, imported)
    assert isinstance(outcome, LandingRefused)
    assert run.user.state() == before
    return outcome


async def test_a_clean_checkout_is_fast_forwarded(tmp_path: Path) -> None:
    run, imported = await worked(repository_in(tmp_path))

    assert await landing(run, imported) == LandedCommit(imported.commit)

    assert (run.user.head, run.user.git("status", "--porcelain")) == (imported.commit, "")
    assert run.user.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert (run.user.path / "new").read_text() == "work"
    assert run.user.refs(BACKUPS) == {f"{BACKUPS}/1": run.snapshot.commit}


async def test_landing_twice_says_the_same(tmp_path: Path) -> None:
    run, imported = await worked(repository_in(tmp_path))
    await landing(run, imported)
    run.user.commit("The user goes on", later="1")
    before = run.user.state()

    assert await landing(run, imported) == LandedCommit(imported.commit)

    assert run.user.state() == before


async def test_uncommitted_changes_become_a_commit_below_the_work(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write("changed.txt", "after")
    user.write("untracked", "1")
    run, imported = await worked(user, **{"new": "work", "untracked": "2"})

    assert await landing(run, imported) == LandedCommit(imported.commit)

    assert user.git("log", "--format=%s").splitlines() == [
        *("Work", "Snapshot of uncommitted changes (treadle 9abcdef0)", "First")
    ]
    assert user.git("status", "--porcelain") == ""
    assert (user.path / "changed.txt").read_text() == "after"
    assert (user.path / "untracked").read_text() == "2"


async def test_what_was_staged_and_overwritten_on_disk_is_backed_up(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write("changed.txt", "staged")
    user.git("add", "changed.txt")
    user.write("changed.txt", "on disk")
    run, imported = await worked(user)

    await landing(run, imported)

    backups = list(user.refs(BACKUPS).values())
    assert [user.tree(commit)["changed.txt"] for commit in backups] == ["before", "staged"]
    assert user.tree()["changed.txt"] == "on disk"


async def test_work_lands_in_an_empty_repository(tmp_path: Path) -> None:
    user = empty_repository(tmp_path)
    user.write("SPEC.md", "# Build it")
    run, imported = await worked(user)

    assert await landing(run, imported) == LandedCommit(imported.commit)

    assert user.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert user.git("status", "--porcelain") == ""
    assert user.tree() == {"SPEC.md": "# Build it", "new": "work"}


async def test_a_detached_head_moves_itself(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.git("checkout", "--quiet", "--detach")
    run, imported = await worked(user)

    assert await landing(run, imported) == LandedCommit(imported.commit)

    assert (user.git_dir / "HEAD").read_text().strip() == imported.commit
    assert user.git("rev-parse", "main") == run.snapshot.commit


async def test_a_linked_worktree_lands_in_itself(tmp_path: Path) -> None:
    main = repository_in(tmp_path)
    main.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    run, imported = await worked(Repository(tmp_path / "linked", main.environment))
    before = main.head

    assert await landing(run, imported) == LandedCommit(imported.commit)

    assert (run.user.head, main.head) == (imported.commit, before)


async def test_treadles_own_files_do_not_count_as_changes(tmp_path: Path) -> None:
    run, imported = await worked(repository_in(tmp_path))
    run.user.write(".treadle/status.json", "{}")
    run.user.write(".treadle-notes.md", "notes")

    assert await landing(run, imported) == LandedCommit(imported.commit)

    assert (run.user.path / ".treadle/status.json").read_text() == "{}"


async def test_a_sparse_checkout_stays_sparse(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit(**{"in/a": "1", "out/b": "1"})
    user.git("sparse-checkout", "set", "in")
    user.write("in/a", "2")
    run, imported = await worked(user, **{"in/c": "3"})

    assert await landing(run, imported) == LandedCommit(imported.commit)

    assert user.git("status", "--porcelain") == ""
    assert not (user.path / "out").exists()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            "edit",
            LandingRefused("files were changed after the run started: commit them first", MERGE),
        ),
        ("commit", LandingRefused("main has other commits than when the run started", MERGE)),
        ("switch", LandingRefused("you have switched from main to other meanwhile", MERGE)),
    ],
)
async def test_a_checkout_that_changed_meanwhile_is_left_alone(
    change: str, expected: LandingRefused, tmp_path: Path
) -> None:
    run, imported = await worked(repository_in(tmp_path))
    match change:
        case "edit":
            run.user.write("changed.txt", "by the user")
        case "commit":
            run.user.commit(theirs="1")
        case _:
            run.user.git("checkout", "--quiet", "-b", "other")

    assert await kept(run, imported) == expected


@pytest.mark.parametrize("dirty", [False, True])
async def test_an_ignored_file_in_the_way_is_not_overwritten(dirty: bool, tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit(**{".gitignore": "secret\n"})
    user.write("secret", "the user's")
    if dirty:
        user.write("changed.txt", "staged")
        user.git("add", "changed.txt")
        user.write("changed.txt", "on disk")
    run = await run_on(user)
    run.agent.write("secret", "the agent's")
    run.agent.git("add", "--force", "secret")
    run.agent.git("commit", "--quiet", "-m", "Work")
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)

    assert await kept(run, imported) == LandingRefused(
        "files of yours are in the way, move them first: secret",
        f"git merge --no-overwrite-ignore {BRANCH}",
    )


async def test_an_ignored_file_in_the_way_in_an_empty_repository(tmp_path: Path) -> None:
    user = empty_repository(tmp_path)
    user.write(".gitignore", "secret\n")
    user.write("secret", "the user's")
    run = await run_on(user)
    run.agent.write("secret", "the agent's")
    run.agent.git("add", "--force", "secret")
    run.agent.git("commit", "--quiet", "-m", "Work")
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)

    assert (await kept(run, imported)).reason == (
        "files of yours are in the way, move them first: secret"
    )


@pytest.mark.parametrize("dirty", [False, True])
async def test_a_locked_index_keeps_the_work_on_its_branch(dirty: bool, tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    if dirty:
        user.write("changed.txt", "after")
    run, imported = await worked(user)
    (user.git_dir / "index.lock").touch()

    reason = (await kept(run, imported)).reason

    assert reason.startswith("git could not fast-forward: ")
    assert "index.lock" in reason


async def test_a_deleted_branch_is_named_with_the_way_back(tmp_path: Path) -> None:
    run, imported = await worked(repository_in(tmp_path))
    run.user.git("branch", "-D", BRANCH)

    assert await kept(run, imported) == LandingRefused(
        f"the branch {BRANCH} was deleted meanwhile", f"git branch {BRANCH} {imported.commit}"
    )


async def test_work_that_does_not_descend_from_the_snapshot_is_kept(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.git("checkout", "--quiet", "--orphan", "fresh")
    run.agent.commit("A history of its own")
    run.agent.git("branch", "--force", BRANCH, "fresh")
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)

    assert (await kept(run, imported)).reason == (
        "the agent rewrote the history that the run started from"
    )


async def test_a_merge_in_progress_is_not_disturbed(tmp_path: Path) -> None:
    run, imported = await worked(repository_in(tmp_path))
    (run.user.git_dir / "MERGE_HEAD").write_text(run.user.head + "\n")

    assert await kept(run, imported) == LandingRefused(
        "you are in the middle of a merge: finish it first", MERGE
    )


@pytest.mark.parametrize("reached", ["index", "branch"])
async def test_a_landing_that_was_cut_short_is_finished_by_the_next(
    reached: str, tmp_path: Path
) -> None:
    user = repository_in(tmp_path)
    user.write("changed.txt", "after")
    run, imported = await worked(user)
    user.git("read-tree", "-i", "-m", run.snapshot.commit)
    if reached == "branch":
        user.git("update-ref", "HEAD", run.snapshot.commit)

    assert await landing(run, imported) == LandedCommit(imported.commit)

    assert user.git("status", "--porcelain") == ""


async def test_the_users_hooks_do_not_run(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    for name in ("post-merge", "reference-transaction", "post-checkout"):
        hook = user.git_dir / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    run, imported = await worked(user)
    (tmp_path / "ran").unlink(missing_ok=True)

    await landing(run, imported)

    assert not (tmp_path / "ran").exists()
