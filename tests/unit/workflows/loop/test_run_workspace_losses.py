"""What an agent does to its own workspace costs it its passes, or nothing, but never the run."""

import os
import shutil
from pathlib import Path

import pytest

from tests.builders import RUN, Repository, claimed, deliverable
from tests.unit.workflows.deliver.board_harness import ONE, Desk, desk_in
from tests.unit.workflows.run_harness import BRANCH, StoryStage, did, ending, stage_in, turned
from treadle.domain.deliverable import Tally
from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import DeliverableChanged, WorkImported

BACK = DeliverableChanged("DL-1", "What DL-1 is about", "passed", "pending")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_in(tmp_path)


@pytest.fixture
def stage(tmp_path: Path) -> StoryStage:
    """One deliverable and one round."""
    stage = stage_in(tmp_path)
    stage.plan(deliverable("DL-1"))
    stage.limit(max_iterations=1)
    return stage


def agent_of(stage: StoryStage) -> Repository:
    return Repository(stage.workspace, stage.user.environment)


async def test_only_the_passes_of_the_round_are_taken_back(desk: Desk) -> None:
    await desk.create("DL-1", "DL-2")
    await desk.set_status("DL-2", "passed")
    desk.board.confirm_passes("a1" * 20)
    await desk.set_status("DL-1", "passed")
    desk.events.clear()

    desk.board.withdraw_passes("it is gone")

    assert desk.events == [BACK, RunWarned("pending again, because it is gone: DL-1")]
    assert desk.saved() == (ONE, claimed("DL-2", "a1" * 20))
    assert desk.board.passed_this_round == []


async def test_a_pass_does_not_outlive_the_workspace_it_was_made_in(stage: StoryStage) -> None:
    stage.sessions = [
        [
            stage.wrote("clock.py"),
            turned("DL-1", "passed"),
            did(lambda: shutil.rmtree(stage.workspace)),
            ending(),
        ]
    ]

    result = await stage.tell()

    assert result.tally == Tally(total=1)
    assert stage.status.read() == (ONE,)
    assert stage.events[-2:] == [
        BACK,
        RunWarned("pending again, because the workspace was emptied: DL-1"),
    ]


async def test_a_pass_whose_work_was_set_aside_is_pending_and_the_ref_is_told(
    stage: StoryStage,
) -> None:
    def leave_the_branch() -> None:
        agent = agent_of(stage)
        agent.git("checkout", "--quiet", "--orphan", "fresh")
        (stage.workspace / "clock.py").write_text("tick")

    stage.sessions = [[did(leave_the_branch), turned("DL-1", "passed"), ending()]]

    result = await stage.tell()

    listing = stage.user.git("for-each-ref", "--format=%(refname)", "refs/treadle/aside")
    assert listing.startswith(f"refs/treadle/aside/{RUN}/")
    why = "the round's work could not be merged into the run's branch"
    assert result.tally == Tally(total=1)
    assert stage.of_type(RunWarned)[-2:] == [
        RunWarned(f"{why}; your repository keeps it as {listing}"),
        RunWarned(f"pending again, because {why}: DL-1"),
    ]


@pytest.mark.parametrize("uncommitted", [True, False])
async def test_objects_that_an_agent_destroyed_cost_neither_the_run_nor_its_files(
    stage: StoryStage,
    uncommitted: bool,
) -> None:
    def destroy() -> None:
        agent = agent_of(stage)
        agent.git("add", "clock.py")
        agent.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Work")
        for file in (stage.workspace / ".git/objects").glob("??/*"):
            file.chmod(0o644)
            os.truncate(file, 0)
        if uncommitted:
            (stage.workspace / "more.py").write_text("more")

    stage.sessions = [
        [stage.wrote("clock.py"), did(destroy), turned("DL-1", "passed"), ending()],
    ]

    result = await stage.tell()

    assert result.tally == Tally(passed=1, total=1)
    assert stage.user.git("show", f"{BRANCH}:clock.py") == "text"
    assert (stage.workspace.parent / "workspace.damaged-1" / "objects").is_dir()


async def test_a_pass_is_pending_when_history_was_destroyed_while_other_files_were_checked_out(
    stage: StoryStage,
) -> None:
    def destroy() -> None:
        agent = agent_of(stage)
        agent.git("add", "clock.py")
        agent.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Work")
        agent.git("checkout", "--quiet", "HEAD~1")
        for file in (stage.workspace / ".git/objects").glob("??/*"):
            file.chmod(0o644)
            os.truncate(file, 0)

    stage.sessions = [
        [stage.wrote("clock.py"), did(destroy), turned("DL-1", "passed"), ending()],
    ]

    result = await stage.tell()

    assert result.tally == Tally(total=1)
    assert stage.events[-1] == RunWarned(
        "pending again, because the workspace's history was damaged: DL-1"
    )


async def test_a_file_of_a_commit_that_was_destroyed_is_taken_from_disk(stage: StoryStage) -> None:
    def destroy() -> None:
        agent = agent_of(stage)
        agent.git("add", "clock.py")
        agent.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Work")
        blob = agent.git("rev-parse", "HEAD:clock.py")
        file = stage.workspace / ".git/objects" / blob[:2] / blob[2:]
        file.chmod(0o644)
        os.truncate(file, 0)

    stage.sessions = [
        [stage.wrote("clock.py"), did(destroy), turned("DL-1", "passed"), ending()],
    ]

    result = await stage.tell()

    assert result.tally == Tally(passed=1, total=1)
    assert stage.user.git("show", f"{BRANCH}:clock.py") == "text"


async def test_a_nested_repository_that_the_agent_committed_is_told_once(
    stage: StoryStage,
) -> None:
    def nest() -> None:
        name = ("-c", "user.name=A", "-c", "user.email=a@b")
        nested = Repository(stage.workspace / "app", stage.user.environment)
        nested.path.mkdir()
        nested.git("init", "--quiet")
        nested.git(*name, "commit", "--quiet", "--allow-empty", "-m", "Own")
        agent_of(stage).git("add", "-A")
        agent_of(stage).git(*name, "commit", "--quiet", "-m", "All")

    stage.limit(max_iterations=2)
    stage.sessions = [[did(nest), ending()], [stage.wrote("clock.py"), ending()]]

    await stage.tell()

    assert len(stage.of_type(WorkImported)) == 2
    assert stage.of_type(RunWarned) == [
        RunWarned("nested repositories are not part of the work: app/")
    ]


async def test_a_project_that_went_away_is_named_and_where_the_files_are(
    stage: StoryStage,
) -> None:
    stage.sessions = [
        [stage.wrote("clock.py"), did(lambda: shutil.rmtree(stage.user.path)), ending()]
    ]

    with pytest.raises(ProjectError) as raised:
        await stage.tell()

    assert raised.value.message == (
        f"the project's repository is gone; this round's files are in {stage.workspace}"
    )
    assert (stage.workspace / "clock.py").read_text() == "text\n"
