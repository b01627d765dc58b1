"""A run that starts from what an earlier run left on its branch and nobody has landed."""

from pathlib import Path

import pytest

from tests.builders import RUN, claimed, deliverable
from tests.unit.workflows.run_harness import (
    ADOPTED,
    BRANCH,
    CHANGING,
    ENDING,
    HOME,
    OPENING,
    StoryStage,
    did,
    ending,
    stage_in,
    turned,
)
from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import Event
from treadle.domain.events.work import (
    WorkContinued,
    WorkImported,
    WorkKept,
    WorkLanded,
    WorkspacePrepared,
)
from treadle.domain.ids import make_run_id
from treadle.workflows.loop.run_workspace import UnlandedWork
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.snapshot import Snapshot

NEXT = make_run_id(unix_ms=1_700_000_100_000, random_bits=0x0FED_CBA9_8765_4321)
NEXT_BRANCH = "treadle/clock-87654321"
FIRST_TITLE, SECOND_TITLE = (
    "Round 1: What DL-1 is about (DL-1)",
    "Round 1: What DL-2 is about (DL-2)",
)


async def left_by_a_first_run(directory: Path, *, dirty: bool) -> StoryStage:
    """One deliverable has passed, its work is on its branch, and the next run is set up."""
    stage = stage_in(directory)
    if dirty:
        stage.user.write("README.md", "A clock, changed.\n")
    stage.plan(deliverable("DL-1"), deliverable("DL-2"))
    stage.limit(max_iterations=1)
    stage.sessions = [[stage.wrote("one.py"), turned("DL-1", "passed"), ending()]]
    assert (await stage.tell()).reason == "max_iterations"
    prepared = stage.events[0]
    assert isinstance(prepared, WorkspacePrepared)
    snapshot = Snapshot(
        head=prepared.head,
        branch=prepared.checkout,
        commit=prepared.snapshot,
        tree=stage.user.git("rev-parse", f"{prepared.snapshot}^{{tree}}"),
        dirty=dirty,
    )
    stage.earlier = UnlandedWork(RUN, BRANCH, stage.user.git("rev-parse", BRANCH), snapshot)
    stage.start_over(NEXT)
    stage.sessions = [[stage.wrote("two.py"), turned("DL-2", "passed"), ending()]]
    return stage


@pytest.fixture(params=["clean checkout", "dirty checkout"])
async def stage(request: pytest.FixtureRequest, tmp_path: Path) -> StoryStage:
    return await left_by_a_first_run(tmp_path, dirty=request.param == "dirty checkout")


def earlier_of(stage: StoryStage) -> UnlandedWork:
    assert stage.earlier is not None
    return stage.earlier


async def landed(stage: StoryStage) -> Event:
    assert stage.worksite is not None
    await stage.worksite.finish("auto", ask=None)
    return stage.events[-1]


async def test_the_next_run_begins_where_the_earlier_one_left_off(stage: StoryStage) -> None:
    earlier = earlier_of(stage)
    found: list[tuple[str, str]] = []

    def look() -> None:
        found.append(
            (
                (stage.workspace / "one.py").read_text(),
                stage.user.git("-C", str(stage.workspace), "rev-parse", "HEAD"),
            )
        )

    stage.sessions = [[did(look), *stage.sessions[0]]]

    ended = await stage.tell()

    assert stage.events[:2] == [
        WorkContinued(RUN, BRANCH, earlier.commit),
        WorkspacePrepared(
            path=str(stage.workspace),
            branch=NEXT_BRANCH,
            head=earlier.snapshot.head,
            checkout="main",
            snapshot=earlier.snapshot.commit,
        ),
    ]
    assert found == [("text\n", earlier.commit)]
    assert (ended.reason, ended.rounds) == ("all_passed", 1)


async def test_what_passed_in_the_earlier_run_stays_passed(stage: StoryStage) -> None:
    earlier = earlier_of(stage)

    await stage.tell()

    tip = stage.user.git("rev-parse", NEXT_BRANCH)
    assert stage.status.read() == (claimed("DL-1", earlier.commit), claimed("DL-2", tip))


async def test_the_work_of_both_runs_is_one_line_of_commits_and_lands_together(
    stage: StoryStage,
) -> None:
    earlier = earlier_of(stage)

    await stage.tell()
    event = await landed(stage)

    tip = stage.user.git("rev-parse", NEXT_BRANCH)
    assert stage.of_type(WorkImported)[-1] == WorkImported(NEXT_BRANCH, tip, 2)
    assert event == WorkLanded(NEXT_BRANCH, tip, "commits")
    assert stage.user.log(NEXT_BRANCH)[:2] == [SECOND_TITLE, FIRST_TITLE]
    assert stage.user.git("rev-parse", BRANCH) == earlier.commit
    for name in ("one.py", "two.py"):
        assert (stage.user.path / name).read_text() == "text\n"


async def test_the_earlier_work_counts_as_the_runs_own_before_it_has_done_anything(
    stage: StoryStage,
) -> None:
    earlier = earlier_of(stage)
    stage.stop.set()

    ended = await stage.tell()

    assert ended.reason == "interrupted"
    assert stage.worksite is not None
    assert stage.worksite.imported == ImportedBranch(
        NEXT_BRANCH, earlier.commit, commits=1, descends=True, moved=False
    )
    assert stage.user.git("rev-parse", NEXT_BRANCH) == earlier.commit


async def test_earlier_work_that_was_finished_is_landed_without_a_round(tmp_path: Path) -> None:
    stage = await left_by_a_first_run(tmp_path, dirty=False)
    earlier = earlier_of(stage)
    stage.plan(claimed("DL-1", earlier.commit))

    ended = await stage.tell()
    event = await landed(stage)

    assert (ended.reason, ended.rounds) == ("all_passed", 0)
    assert event == WorkLanded(NEXT_BRANCH, earlier.commit, "commits")
    assert stage.user.log() == [FIRST_TITLE, "First"]


async def test_the_course_of_a_run_that_goes_on(tmp_path: Path) -> None:
    stage = await left_by_a_first_run(tmp_path, dirty=False)

    await stage.tell()

    assert [event.type for event in stage.events] == [
        "work.continued",
        "workspace.prepared",
        "work.imported",
        *ADOPTED,
        *OPENING,
        *CHANGING,
        *ENDING,
        *HOME,
    ]


async def test_a_checkout_changed_after_the_earlier_run_is_left_alone(tmp_path: Path) -> None:
    stage = await left_by_a_first_run(tmp_path, dirty=False)
    stage.sessions = [
        [did(lambda: stage.user.write("README.md", "Changed by Ada.\n")), *stage.sessions[0]]
    ]

    await stage.tell()

    assert await landed(stage) == WorkKept(
        NEXT_BRANCH,
        "files were changed after the run started: commit them first",
        f"git merge {NEXT_BRANCH}",
    )


async def test_a_specification_that_is_missing_from_the_earlier_work_is_refused(
    tmp_path: Path,
) -> None:
    stage = await left_by_a_first_run(tmp_path, dirty=False)
    earlier = earlier_of(stage)
    stage.user.git("switch", "--quiet", BRANCH)
    stage.user.git("rm", "--quiet", "SPEC.md")
    commit = stage.user.commit_all("Remove the specification")
    stage.user.git("switch", "--quiet", "main")
    stage.earlier = UnlandedWork(RUN, BRANCH, commit, earlier.snapshot)

    with pytest.raises(ProjectError):
        await stage.tell()
