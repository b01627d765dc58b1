"""A landing is taken back only where nothing was added since; otherwise one command is printed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.unit.runs.old_runs import RunsHarness, StoredRun
from treadle.domain.ids import RunId
from treadle.domain.run_request import RunRequest
from treadle.runs.previous_runs import _previous_item
from treadle.runs.undo import UndoReport
from treadle.workspace.landing_undo import CheckoutRestored, UndoRefused
from treadle.workspace.project import find_project


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[RunsHarness]:
    harness = RunsHarness.within(tmp_path)
    yield harness
    harness.close()


async def landed(harness: RunsHarness) -> StoredRun:
    run = await harness.start()
    run.agent.commit("Work", new="work\n")
    await run.round()
    await harness.land(run)
    run.end()
    return run


async def test_a_landing_is_undone_when_nothing_was_added(harness: RunsHarness) -> None:
    before = harness.user.state()
    run = await landed(harness)
    tip = harness.user.head

    report = await run.undo()

    assert isinstance(report.landing, CheckoutRestored)
    after = harness.user.state()
    assert (after.files, after.head, after.refs) == (before.files, before.head, before.refs)
    assert harness.user.git("rev-parse", run.branch) == tip
    assert tip in harness.user.refs("refs/treadle/backup").values()
    assert run.row.landed == ""
    assert await run.undo() == UndoReport()


async def test_uncommitted_changes_are_uncommitted_again(harness: RunsHarness) -> None:
    harness.user.write("changed.txt", "mine\n")
    harness.user.write("untracked.txt", "mine\n")
    (harness.user.path / "kept.txt").unlink()
    status, before = harness.user.git("status", "--porcelain"), harness.user.state()
    run = await landed(harness)

    await run.undo()

    assert harness.user.state().files == before.files
    assert harness.user.git("status", "--porcelain") == status


async def test_an_undo_that_was_killed_between_its_steps_goes_on(harness: RunsHarness) -> None:
    harness.user.write("changed.txt", "mine\n")
    before, head = harness.user.state(), harness.user.head
    run = await landed(harness)
    harness.user.git("reset", "--quiet", "--keep", run.workspace.snapshot)

    report = await run.undo()

    assert isinstance(report.landing, CheckoutRestored)
    assert (harness.user.state().files, harness.user.head) == (before.files, head)


def commit_more(harness: RunsHarness) -> None:
    harness.user.commit("More", more="1\n")


def edit(harness: RunsHarness) -> None:
    harness.user.write("new", "edited\n")


def stage(harness: RunsHarness) -> None:
    harness.user.git("rm", "--quiet", "--cached", "new")


def switch(harness: RunsHarness) -> None:
    harness.user.git("checkout", "--quiet", "-b", "feature")


@pytest.mark.parametrize("change", [commit_more, edit, stage, switch])
async def test_a_landing_with_something_on_top_is_left_alone(
    harness: RunsHarness, change: Callable[[RunsHarness], None]
) -> None:
    run = await landed(harness)
    change(harness)
    before = harness.user.state()

    report = await run.undo()

    assert isinstance(report.landing, UndoRefused)
    assert harness.user.state() == before


async def test_the_printed_line_reverts_the_landing(harness: RunsHarness) -> None:
    before = harness.user.tree()
    run = await landed(harness)
    harness.user.commit("More", more="1\n")

    report = await run.undo()
    assert isinstance(report.landing, UndoRefused)
    assert report.landing.command.startswith(f"git -C {harness.user.path} revert --no-edit ")
    harness.user.git(*report.landing.command.split()[3:])

    assert harness.user.tree() == {**before, "more": "1"}


async def test_the_next_item_of_a_queue_is_not_built_on_work_that_was_taken_back(
    harness: RunsHarness,
) -> None:
    run = await landed(harness)
    await run.undo()
    project = await find_project(harness.user.path, harness.user.environment)
    asked = RunRequest(
        run=RunId("next"),
        project_dir=str(project.root),
        flags={},
        no_sandbox=False,
        rehearsal=False,
        queue=RunId("queue"),
        after=run.id,
    )

    previous = await _previous_item(harness.environment.storage, project, asked)

    assert previous.unlanded is None


async def test_dropped_work_that_had_landed_stays_landed(harness: RunsHarness) -> None:
    run = await landed(harness)
    tip = harness.user.head

    report = await run.drop()
    restored = await run.undo()

    assert (report.landed, restored.landing) == (True, None)
    assert harness.user.head == tip
