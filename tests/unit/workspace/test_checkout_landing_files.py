"""With commits switched off, work lands as uncommitted changes: all files or none of them."""

from pathlib import Path

from tests.unit.workspace.real_git import (
    BRANCH,
    RUN,
    Repository,
    Run,
    import_run,
    repository_in,
    run_on,
)
from treadle.workspace.checkout_landing import LandedCommit, LandingRefused, land_files
from treadle.workspace.imports import ImportedBranch


async def worked(user: Repository, **files: str) -> tuple[Run, ImportedBranch]:
    run = await run_on(user)
    run.agent.commit("Work", **files)
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)
    return run, imported


async def test_only_files_change_and_a_second_landing_says_the_same(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write("changed.txt", "mine, uncommitted")
    run, imported = await worked(user, **{"new": "work", "no newline": "at the end"})
    head, index = user.head, user.state().index

    assert await land_files(run.project, run.snapshot, imported, RUN) == LandedCommit(
        imported.commit
    )

    assert (user.head, user.state().index) == (head, index)
    assert (user.path / "new").read_text() == "work"
    assert (user.path / "changed.txt").read_text() == "mine, uncommitted"
    assert await land_files(run.project, run.snapshot, imported, RUN) == LandedCommit(
        imported.commit
    )


async def test_an_ignored_file_in_the_way_stops_all_of_it(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit("Ignore", **{".gitignore": "secret\n"})
    user.write("secret", "the user's own")
    run = await run_on(user)
    run.agent.write("secret", "the agent's")
    run.agent.write("new", "work")
    run.agent.git("add", "--force", "--all")
    run.agent.git("commit", "-q", "-m", "Work")
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)
    before = user.state()

    outcome = await land_files(run.project, run.snapshot, imported, RUN)

    assert isinstance(outcome, LandingRefused)
    assert user.state() == before


async def test_a_checkout_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    run, imported = await worked(repository_in(tmp_path), new="work")
    run.user.write("changed.txt", "changed meanwhile")
    before = run.user.state()

    outcome = await land_files(run.project, run.snapshot, imported, RUN)

    assert outcome == LandingRefused(
        "files were changed after the run started: commit them first", f"git merge {BRANCH}"
    )
    assert run.user.state() == before
