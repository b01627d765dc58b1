"""Work lands beside edits of the specifications and of Treadle's own folder, committed or not."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from treadle.workspace.checkout_landing import LandedCommit, LandingRefused, land, land_files
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.landing_undo import (
    CheckoutRestored,
    LandedWork,
    UndoRefused,
    undo_landing,
)
from treadle.workspace.merge import free_paths, merge_cleanly
from treadle.workspace.snapshot import take_snapshot

from .real_git import RUN, Repository, Run, import_run, repository_in, run_on

FREE = free_paths("specs/")


async def worked(user: Repository, **files: str) -> tuple[Run, ImportedBranch]:
    run = await run_on(user)
    run.agent.commit("Work", **(files or {"new": "work"}))
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)
    return run, imported


def project_in(tmp_path: Path) -> Repository:
    user = repository_in(tmp_path)
    user.write("specs/a.md", "first")
    user.git("add", "-A")
    user.git("commit", "-qm", "Specifications")
    return user


async def test_an_edited_specification_stays_as_it_is_while_work_lands(tmp_path: Path) -> None:
    user = project_in(tmp_path)
    run, imported = await worked(user)
    user.write("specs/a.md", "second")
    user.write("specs/b.md", "new")
    user.write(".treadle/backlog/010.md", "do it")

    assert await land(run.project, run.snapshot, imported, RUN, FREE) == LandedCommit(user.head)

    assert user.head == imported.commit
    assert (user.path / "specs/a.md").read_text() == "second"
    status = user.git("status", "--porcelain").splitlines()
    assert sorted(line.split()[1] for line in status) == [".treadle/", "specs/a.md", "specs/b.md"]


async def test_committed_specifications_are_joined_with_the_work(tmp_path: Path) -> None:
    user = project_in(tmp_path)
    run, imported = await worked(user)
    user.commit("Say it better", **{"specs/a.md": "second"})
    said = user.head

    outcome = await land(run.project, run.snapshot, imported, RUN, FREE)

    assert outcome == LandedCommit(user.head)
    assert user.git("rev-parse", "HEAD^@").splitlines() == [said, imported.commit]
    assert user.git("status", "--porcelain") == ""
    assert (user.tree()["specs/a.md"], user.tree()["new"]) == ("second", "work")
    before = user.state()
    again = await land(run.project, run.snapshot, imported, RUN, FREE)
    assert (again, user.state()) == (LandedCommit(imported.commit), before)


async def test_uncommitted_code_below_the_work_and_a_committed_specification(
    tmp_path: Path,
) -> None:
    user = project_in(tmp_path)
    user.write("changed.txt", "mine")
    user.write("specs/a.md", "second")
    run, imported = await worked(user)
    user.write("specs/a.md", "third")
    user.git("add", "specs")
    user.git("commit", "-qm", "Say it better")

    outcome = await land(run.project, run.snapshot, imported, RUN, FREE)

    assert outcome == LandedCommit(user.head)
    tree = user.tree()
    assert (tree["specs/a.md"], tree["changed.txt"], tree["new"]) == ("third", "mine", "work")
    assert user.git("status", "--porcelain") == ""


async def test_an_undo_keeps_what_was_committed_below_the_work(tmp_path: Path) -> None:
    user = project_in(tmp_path)
    run, imported = await worked(user)
    user.commit("Say it better", **{"specs/a.md": "second"})
    before, head = user.state(), user.head
    await land(run.project, run.snapshot, imported, RUN, FREE)
    landed = LandedWork(user.head, "commits", imported.commit)

    outcome = await undo_landing(run.project, run.snapshot, landed, RUN)

    assert isinstance(outcome, CheckoutRestored)
    assert outcome.head == head
    after = user.state()
    assert (after.files, after.head, after.refs) == (before.files, before.head, before.refs)


async def test_an_undo_uncommits_what_was_not_committed_beside_a_committed_specification(
    tmp_path: Path,
) -> None:
    user = project_in(tmp_path)
    user.write("changed.txt", "mine")
    run, imported = await worked(user)
    user.write("specs/a.md", "second")
    user.git("add", "specs")
    user.git("commit", "-qm", "Say it better")
    before, head = user.state(), user.head
    await land(run.project, run.snapshot, imported, RUN, FREE)
    landed = LandedWork(user.head, "commits", imported.commit)

    outcome = await undo_landing(run.project, run.snapshot, landed, RUN)

    assert isinstance(outcome, CheckoutRestored)
    assert (user.state().files, user.head) == (before.files, head)


@pytest.mark.parametrize("form", ["commits", "files"])
@pytest.mark.parametrize("committed", [True, False])
async def test_an_undo_keeps_what_the_work_was_joined_with(
    tmp_path: Path, *, committed: bool, form: Literal["commits", "files"]
) -> None:
    user = project_in(tmp_path)
    run, imported = await worked(user, **{"specs/b.md": "planned"})
    if committed:
        user.commit("Code of mine", code="1")
    else:
        user.write("code", "1")
    before, head = user.state(), user.head
    now = await take_snapshot(run.project, RUN)
    merged = await merge_cleanly(run.project, now.commit, imported.commit)
    assert merged is not None
    user.git("update-ref", f"refs/heads/{imported.branch}", merged)
    joined = replace(imported, commit=merged)
    land_form = land if form == "commits" else land_files
    await land_form(run.project, now, joined, RUN)
    landed = LandedWork(merged, form, imported.commit, head)

    outcome = await undo_landing(run.project, run.snapshot, landed, RUN)

    assert isinstance(outcome, CheckoutRestored)
    assert (user.state().files, user.head) == (before.files, head)


async def test_the_printed_line_takes_back_the_work_alone(tmp_path: Path) -> None:
    user = project_in(tmp_path)
    run, imported = await worked(user)
    user.commit("Say it better", **{"specs/a.md": "second"})
    before = user.tree()
    await land(run.project, run.snapshot, imported, RUN, FREE)
    landed = LandedWork(user.head, "commits", imported.commit)
    user.commit("More", more="1")

    outcome = await undo_landing(run.project, run.snapshot, landed, RUN)

    assert isinstance(outcome, UndoRefused)
    user.git(*outcome.command.split()[3:])
    assert user.tree() == {**before, "more": "1"}


async def test_work_lands_as_files_beside_an_edited_specification(tmp_path: Path) -> None:
    user = project_in(tmp_path)
    run, imported = await worked(user)
    user.commit("Say it better", **{"specs/a.md": "second"})
    user.write("specs/a.md", "third")

    for _ in range(2):
        outcome = await land_files(run.project, run.snapshot, imported, RUN, FREE)
        assert outcome == LandedCommit(imported.commit)

    status = user.git("status", "--porcelain").splitlines()
    assert sorted(line.split()[1] for line in status) == ["new", "specs/a.md"]


@pytest.mark.parametrize("committed", [True, False])
async def test_changed_code_still_keeps_the_work_on_its_branch(
    tmp_path: Path, *, committed: bool
) -> None:
    user = project_in(tmp_path)
    run, imported = await worked(user)
    if committed:
        user.commit("Code of mine", code="1")
    else:
        user.write("code", "1")
    before = user.state()

    outcome = await land(run.project, run.snapshot, imported, RUN, FREE)

    assert isinstance(outcome, LandingRefused)
    assert user.state() == before


async def test_work_that_changes_specifications_overwrites_none_of_a_person(
    tmp_path: Path,
) -> None:
    user = project_in(tmp_path)
    run, imported = await worked(user, **{"specs/a.md": "by the agent"})
    user.commit("Say it better", **{"specs/a.md": "second"})

    outcome = await land(run.project, run.snapshot, imported, RUN, FREE)

    assert isinstance(outcome, LandingRefused)
    assert user.tree()["specs/a.md"] == "second"
