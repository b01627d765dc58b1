"""What an agent does to its own workspace costs it its passes, or nothing, but never the run."""

import os
import shutil
from pathlib import Path

import pytest

from tests.builders import RUN, Repository, claimed, deliverable
from tests.unit.workflows.deliver.board_harness import ONE, BoardHarness, make_board_harness
from tests.unit.workflows.run_harness import (
    BRANCH,
    RunHarness,
    did,
    ending,
    make_run_harness,
    turned,
)
from treadle.domain.deliverable import Tally
from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import DeliverableChanged, WorkImported

BACK = DeliverableChanged("DL-1", "What DL-1 is about", "passed", "pending")


@pytest.fixture
def board_harness(tmp_path: Path) -> BoardHarness:
    return make_board_harness(tmp_path)


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    """One deliverable and one round."""
    harness = make_run_harness(tmp_path)
    harness.plan(deliverable("DL-1"))
    harness.limit(max_iterations=1)
    return harness


def agent_of(harness: RunHarness) -> Repository:
    return Repository(harness.workspace, harness.user.environment)


async def test_only_the_passes_of_the_round_are_taken_back(board_harness: BoardHarness) -> None:
    await board_harness.create("DL-1", "DL-2")
    await board_harness.set_status("DL-2", "passed")
    board_harness.board.confirm_passes("a1" * 20)
    await board_harness.set_status("DL-1", "passed")
    board_harness.events.clear()

    board_harness.board.withdraw_passes("it is gone")

    assert board_harness.events == [BACK, RunWarned("pending again, because it is gone: DL-1")]
    assert board_harness.saved() == (ONE, claimed("DL-2", "a1" * 20))
    assert board_harness.board.passed_this_round == []


async def test_a_pass_does_not_outlive_the_workspace_it_was_made_in(harness: RunHarness) -> None:
    harness.sessions = [
        [
            harness.wrote("clock.py"),
            turned("DL-1", "passed"),
            did(lambda: shutil.rmtree(harness.workspace)),
            ending(),
        ]
    ]

    result = await harness.execute()

    assert result.tally == Tally(total=1)
    assert harness.status.read() == (ONE,)
    assert harness.events[-2:] == [
        BACK,
        RunWarned("pending again, because the workspace was emptied: DL-1"),
    ]


async def test_a_pass_whose_work_was_set_aside_is_pending_and_the_ref_is_reported(
    harness: RunHarness,
) -> None:
    def leave_the_branch() -> None:
        agent = agent_of(harness)
        agent.git("checkout", "--quiet", "--orphan", "fresh")
        (harness.workspace / "clock.py").write_text("tick")

    harness.sessions = [[did(leave_the_branch), turned("DL-1", "passed"), ending()]]

    result = await harness.execute()

    listing = harness.user.git("for-each-ref", "--format=%(refname)", "refs/treadle/aside")
    assert listing.startswith(f"refs/treadle/aside/{RUN}/")
    why = "the round's work could not be merged into the run's branch"
    assert result.tally == Tally(total=1)
    assert harness.of_type(RunWarned)[-2:] == [
        RunWarned(f"{why}; your repository keeps it as {listing}"),
        RunWarned(f"pending again, because {why}: DL-1"),
    ]


@pytest.mark.parametrize("uncommitted", [True, False])
async def test_objects_that_an_agent_destroyed_cost_neither_the_run_nor_its_files(
    harness: RunHarness,
    uncommitted: bool,
) -> None:
    def destroy() -> None:
        agent = agent_of(harness)
        agent.git("add", "clock.py")
        agent.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Work")
        for file in (harness.workspace / ".git/objects").glob("??/*"):
            file.chmod(0o644)
            os.truncate(file, 0)
        if uncommitted:
            (harness.workspace / "more.py").write_text("more")

    harness.sessions = [
        [harness.wrote("clock.py"), did(destroy), turned("DL-1", "passed"), ending()],
    ]

    result = await harness.execute()

    assert result.tally == Tally(passed=1, total=1)
    assert harness.user.git("show", f"{BRANCH}:clock.py") == "text"
    assert (harness.workspace.parent / "workspace.damaged-1" / "objects").is_dir()


async def test_a_pass_is_pending_when_history_was_destroyed_while_other_files_were_checked_out(
    harness: RunHarness,
) -> None:
    def destroy() -> None:
        agent = agent_of(harness)
        agent.git("add", "clock.py")
        agent.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Work")
        agent.git("checkout", "--quiet", "HEAD~1")
        for file in (harness.workspace / ".git/objects").glob("??/*"):
            file.chmod(0o644)
            os.truncate(file, 0)

    harness.sessions = [
        [harness.wrote("clock.py"), did(destroy), turned("DL-1", "passed"), ending()],
    ]

    result = await harness.execute()

    assert result.tally == Tally(total=1)
    assert harness.events[-1] == RunWarned(
        "pending again, because the workspace's history was damaged: DL-1"
    )


async def test_a_file_of_a_commit_that_was_destroyed_is_taken_from_disk(
    harness: RunHarness,
) -> None:
    def destroy() -> None:
        agent = agent_of(harness)
        agent.git("add", "clock.py")
        agent.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Work")
        blob = agent.git("rev-parse", "HEAD:clock.py")
        file = harness.workspace / ".git/objects" / blob[:2] / blob[2:]
        file.chmod(0o644)
        os.truncate(file, 0)

    harness.sessions = [
        [harness.wrote("clock.py"), did(destroy), turned("DL-1", "passed"), ending()],
    ]

    result = await harness.execute()

    assert result.tally == Tally(passed=1, total=1)
    assert harness.user.git("show", f"{BRANCH}:clock.py") == "text"


async def test_a_nested_repository_that_the_agent_committed_is_reported_once(
    harness: RunHarness,
) -> None:
    def nest() -> None:
        name = ("-c", "user.name=A", "-c", "user.email=a@b")
        nested = Repository(harness.workspace / "app", harness.user.environment)
        nested.path.mkdir()
        nested.git("init", "--quiet")
        nested.git(*name, "commit", "--quiet", "--allow-empty", "-m", "Own")
        agent_of(harness).git("add", "-A")
        agent_of(harness).git("commit", "--quiet", "-m", "All")

    harness.limit(max_iterations=2)
    harness.sessions = [[did(nest), ending()], [harness.wrote("clock.py"), ending()]]

    await harness.execute()

    assert len(harness.of_type(WorkImported)) == 2
    assert harness.of_type(RunWarned) == [
        RunWarned("nested repositories are not part of the work: app/")
    ]


async def test_a_project_that_went_away_is_named_and_where_the_files_are(
    harness: RunHarness,
) -> None:
    harness.sessions = [
        [harness.wrote("clock.py"), did(lambda: shutil.rmtree(harness.user.path)), ending()]
    ]

    with pytest.raises(ProjectError) as raised:
        await harness.execute()

    assert raised.value.message == (
        f"the project's repository is gone; this round's files are in {harness.workspace}"
    )
    assert (harness.workspace / "clock.py").read_text() == "text\n"
