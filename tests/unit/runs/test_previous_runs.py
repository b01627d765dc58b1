"""What earlier runs left behind, found again from the store and from git."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from tests.builders import Repository, repository_in
from tests.unit.cli.sample_runs import BRANCH, RUN, STARTED, recorded
from tests.unit.cli.stored_runs import store
from treadle.domain.events.work import WorkImported, WorkLanded, WorkspacePrepared
from treadle.domain.ids import RunId
from treadle.domain.storage import Storage
from treadle.runs.previous_runs import find_previous_runs, reverted_landing
from treadle.workspace.project import find_project

NOW = RunId(f"{RUN[:-1]}9")
EMPTY_COMMIT = ("commit-tree", "-p", "HEAD", "-m", "Say hello", "HEAD^{tree}")


def leave(_: Repository) -> None:
    """As the run left it."""


def go_on(repository: Repository) -> None:
    repository.write("more.txt", "more\n")
    repository.commit_all("More")


def amend(repository: Repository) -> None:
    repository.git("commit", "--quiet", "--amend", "-m", "Said otherwise")


def take_back(repository: Repository) -> None:
    repository.git("reset", "--quiet", "--hard", "HEAD~")


async def revert_reported_after(
    repository: Repository,
    move: Callable[[Repository], None],
    form: Literal["commits", "files"] = "commits",
    *,
    rehearsal: bool = False,
) -> tuple[str, str]:
    """The landed commit, and what a run after the move is told about it."""
    root = repository.path.parent / "root"
    repository.write("hello.txt", "hello\n")
    landed = repository.commit_all("Say hello")
    store(root, recorded((STARTED, WorkLanded(BRANCH, landed, form))), repository.path, number=4)
    move(repository)
    seen = repository.git("rev-parse", "HEAD")
    project = await find_project(repository.path, repository.environment)
    told = await reverted_landing(Storage(root), project, seen, before=NOW, rehearsal=rehearsal)
    return landed, told


async def test_a_reverted_landing_is_reported_in_one_line(tmp_path: Path) -> None:
    landed, told = await revert_reported_after(
        repository_in(tmp_path, **{"SPEC.md": "# A greeting\n"}), take_back
    )

    assert told == (
        f"commit {landed[:12]}, which run {RUN[-8:]} landed, is no longer in your checkout, but its"
        " deliverables still count as passed: `treadle sync` checks them again"
    )


@pytest.mark.parametrize(
    ("move", "form", "rehearsal"),
    [
        (leave, "commits", False),
        (go_on, "commits", False),
        # The same files in another commit.
        (amend, "commits", False),
        # Such work is in no commit, so git cannot say.
        (take_back, "files", False),
        # What a run has passed says nothing about a rehearsal.
        (take_back, "commits", True),
    ],
)
async def test_work_that_is_still_there_is_not_reported(
    move: Callable[[Repository], None],
    form: Literal["commits", "files"],
    rehearsal: bool,
    tmp_path: Path,
) -> None:
    _, told = await revert_reported_after(
        repository_in(tmp_path, **{"SPEC.md": "# A greeting\n"}), move, form, rehearsal=rehearsal
    )

    assert told == ""


async def test_a_real_run_does_not_build_on_the_work_of_a_script(tmp_path: Path) -> None:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting\n"})
    head = repository.git("rev-parse", "HEAD")
    repository.git("branch", BRANCH)
    repository.git("update-ref", f"refs/heads/{BRANCH}", repository.git(*EMPTY_COMMIT))
    tip = repository.git("rev-parse", BRANCH)
    prepared = WorkspacePrepared("/w", BRANCH, head, "main", head)
    told = (replace(STARTED, rehearsal=True), prepared, WorkImported(BRANCH, tip, 1))
    store(tmp_path / "root", recorded(told), repository.path, number=4)
    project = await find_project(repository.path, repository.environment)

    pasts = [
        await find_previous_runs(
            Storage(tmp_path / "root"), project, before=NOW, rehearsal=rehearsal
        )
        for rehearsal in (True, False)
    ]

    assert [past.unlanded and past.unlanded.commit for past in pasts] == [tip, None]
