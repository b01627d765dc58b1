"""A run that starts from work that an earlier run left on its branch and that never landed."""

from dataclasses import replace
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
    RunHarness,
    did,
    ending,
    make_run_harness,
    turned,
)
from treadle.domain.check import Check
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
from treadle.verify.grades.grade import AGENT_CHECK
from treadle.verify.results.memory_check_runner import GREEN, MemoryCheckRunner
from treadle.workflows.loop.run_workspace import UnlandedWork
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.snapshot import Snapshot

NEXT = make_run_id(unix_ms=1_700_000_100_000, random_bits=0x0FED_CBA9_8765_4321)
NEXT_BRANCH = "treadle/clock-87654321"
FIRST_TITLE, SECOND_TITLE = (
    "Round 1: What DL-1 is about (DL-1)",
    "Round 1: What DL-2 is about (DL-2)",
)


async def left_by_a_first_run(directory: Path, *, dirty: bool) -> RunHarness:
    """One deliverable has passed, its work is on its branch, and the next run is set up."""
    harness = make_run_harness(directory)
    if dirty:
        harness.user.write("README.md", "A clock, changed.\n")
    harness.plan(deliverable("DL-1"), deliverable("DL-2"))
    harness.limit(max_iterations=1)
    harness.sessions = [[harness.wrote("one.py"), turned("DL-1", "passed"), ending()]]
    assert (await harness.execute()).reason == "max_iterations"
    prepared = harness.events[0]
    assert isinstance(prepared, WorkspacePrepared)
    snapshot = Snapshot(
        head=prepared.head,
        branch=prepared.checkout,
        commit=prepared.snapshot,
        tree=harness.user.git("rev-parse", f"{prepared.snapshot}^{{tree}}"),
        dirty=dirty,
    )
    harness.earlier = UnlandedWork(RUN, BRANCH, harness.user.git("rev-parse", BRANCH), snapshot)
    harness.start_over(NEXT)
    harness.sessions = [[harness.wrote("two.py"), turned("DL-2", "passed"), ending()]]
    return harness


@pytest.fixture(params=["clean checkout", "dirty checkout"])
async def harness(request: pytest.FixtureRequest, tmp_path: Path) -> RunHarness:
    return await left_by_a_first_run(tmp_path, dirty=request.param == "dirty checkout")


def earlier_of(harness: RunHarness) -> UnlandedWork:
    assert harness.earlier is not None
    return harness.earlier


async def landed(harness: RunHarness) -> Event:
    assert harness.run_workspace is not None
    await harness.run_workspace.finish("auto", ask=None)
    return harness.events[-1]


async def test_the_next_run_begins_where_the_earlier_one_left_off(harness: RunHarness) -> None:
    earlier = earlier_of(harness)
    found: list[tuple[str, str]] = []

    def look() -> None:
        found.append(
            (
                (harness.workspace / "one.py").read_text(),
                harness.user.git("-C", str(harness.workspace), "rev-parse", "HEAD"),
            )
        )

    harness.sessions = [[did(look), *harness.sessions[0]]]

    ended = await harness.execute()

    assert harness.events[:2] == [
        WorkContinued(RUN, BRANCH, earlier.commit),
        WorkspacePrepared(
            path=str(harness.workspace),
            branch=NEXT_BRANCH,
            head=earlier.snapshot.head,
            checkout="main",
            snapshot=earlier.snapshot.commit,
        ),
    ]
    assert found == [("text\n", earlier.commit)]
    assert (ended.reason, ended.rounds) == ("all_passed", 1)


async def test_what_passed_in_the_earlier_run_stays_passed(harness: RunHarness) -> None:
    earlier = earlier_of(harness)

    await harness.execute()

    tip = harness.user.git("rev-parse", NEXT_BRANCH)
    assert harness.status.read() == (claimed("DL-1", earlier.commit), claimed("DL-2", tip))


async def test_the_work_of_both_runs_is_one_line_of_commits_and_lands_together(
    harness: RunHarness,
) -> None:
    earlier = earlier_of(harness)

    await harness.execute()
    event = await landed(harness)

    tip = harness.user.git("rev-parse", NEXT_BRANCH)
    assert harness.of_type(WorkImported)[-1] == WorkImported(NEXT_BRANCH, tip, 2)
    assert event == WorkLanded(NEXT_BRANCH, tip, "commits")
    assert harness.user.log(NEXT_BRANCH)[:2] == [SECOND_TITLE, FIRST_TITLE]
    assert harness.user.git("rev-parse", BRANCH) == earlier.commit
    for name in ("one.py", "two.py"):
        assert (harness.user.path / name).read_text() == "text\n"


async def test_the_earlier_work_counts_as_the_runs_own_before_it_has_done_anything(
    harness: RunHarness,
) -> None:
    earlier = earlier_of(harness)
    harness.stop.set()

    ended = await harness.execute()

    assert ended.reason == "interrupted"
    assert harness.run_workspace is not None
    assert harness.run_workspace.imported == ImportedBranch(
        NEXT_BRANCH, earlier.commit, commits=1, descends=True, moved=False
    )
    assert harness.user.git("rev-parse", NEXT_BRANCH) == earlier.commit


async def test_earlier_work_that_was_finished_is_landed_without_a_round(tmp_path: Path) -> None:
    harness = await left_by_a_first_run(tmp_path, dirty=False)
    earlier = earlier_of(harness)
    harness.plan(claimed("DL-1", earlier.commit))

    ended = await harness.execute()
    event = await landed(harness)

    assert (ended.reason, ended.rounds) == ("all_passed", 0)
    assert event == WorkLanded(NEXT_BRANCH, earlier.commit, "commits")
    assert harness.user.log() == [FIRST_TITLE, "First"]


async def test_earlier_work_that_is_not_proven_enough_does_not_land_by_a_second_run(
    tmp_path: Path,
) -> None:
    harness = await left_by_a_first_run(tmp_path, dirty=False)
    one = claimed("DL-1", earlier_of(harness).commit)
    check = Check(one.acceptance_criteria[0], "make", "agent", "failed", "passed", AGENT_CHECK)
    harness.plan(replace(one, checks=(check,), proof="self-tested"))
    harness.runner, harness.required = MemoryCheckRunner({("make", ""): GREEN}), "proven"

    ended = await harness.execute()

    assert (ended.reason, ended.rounds, ended.message) == (
        "unproven",
        0,
        "DL-1 is self-tested (the agent wrote the check), and verify.require asks for proven",
    )


async def test_the_course_of_a_run_that_goes_on(tmp_path: Path) -> None:
    harness = await left_by_a_first_run(tmp_path, dirty=False)

    await harness.execute()

    assert [event.type for event in harness.events] == [
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
    harness = await left_by_a_first_run(tmp_path, dirty=False)
    harness.sessions = [
        [did(lambda: harness.user.write("README.md", "Changed by Ada.\n")), *harness.sessions[0]]
    ]

    await harness.execute()

    assert await landed(harness) == WorkKept(
        NEXT_BRANCH,
        "files were changed after the run started: commit them first",
        f"git merge {NEXT_BRANCH}",
        by_checkout=True,
    )


async def test_a_specification_that_is_missing_from_the_earlier_work_is_refused(
    tmp_path: Path,
) -> None:
    harness = await left_by_a_first_run(tmp_path, dirty=False)
    earlier = earlier_of(harness)
    harness.user.git("switch", "--quiet", BRANCH)
    harness.user.git("rm", "--quiet", "SPEC.md")
    commit = harness.user.commit_all("Remove the specification")
    harness.user.git("switch", "--quiet", "main")
    harness.earlier = UnlandedWork(RUN, BRANCH, commit, earlier.snapshot)

    with pytest.raises(ProjectError):
        await harness.execute()


async def test_work_of_an_earlier_run_is_not_the_users_own_tree(harness: RunHarness) -> None:
    assert harness.run_workspace is not None
    first = harness.run_workspace.starts_from_checkout

    await harness.execute()

    assert (first, harness.run_workspace.starts_from_checkout) == (True, False)
